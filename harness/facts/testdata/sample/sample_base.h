#pragma once
struct Base {
  virtual void base_virtual() const noexcept = 0;
};
