# SPDX-License-Identifier: BSD-3-Clause
"""Names of torch.cuda that a device module may offer: those that are there work as they do there."""

import concurrent.futures

import assay
import torch
from asking import each

accelerator = torch.accelerator


class ModuleNames(assay.Case):
    def setUp(self):
        super().setUp()
        self.put_device_back()

    def offered(self, *names):
        """Of each name what the module has; ends the check if it has none."""
        found = {name: getattr(self.device_module, name) for name in names if hasattr(self.device_module, name)}
        self.note("not offered", ", ".join(name for name in names if name not in found) or "none")
        if not found:
            self.does_not_apply(f"torch.{self.device_name} has none of {', '.join(names)}")
        return found

    def forms(self, device):
        return {"an int": device.index, "a word": str(device), "a device": device}

    def test_streams(self):
        """device_module.streams_are_made_set_and_left"""
        offered = self.offered("Stream", "current_stream", "default_stream", "set_stream", "stream", "synchronize")
        try:
            torch.Stream(self.device)
        except (RuntimeError, NotImplementedError) as error:
            self.lacks("streams", error)
        questions = {
            "Stream": self.stream_class, "current_stream": self.current_streams, "default_stream": self.default_streams,
            "set_stream": self.set_streams, "stream": self.stream_blocks, "synchronize": self.synchronized,
        }  # fmt: skip
        for name, function, one in each(self, offered):
            with one:
                questions[name](function)

    def stream_class(self, make):
        for device in self.devices[:2]:
            for form, argument in self.forms(device).items():
                for options in ({}, {"priority": -1}, {"priority": 0}):
                    stream = make(argument, **options)
                    what = f"Stream({form}, {options})"
                    self.expect_true(isinstance(stream, torch.Stream), f"{what} is a torch.Stream", repr(type(stream)))
                    self.expect_device(stream, device, f"{what} is on that device")
                    self.expect_true(stream.query(), f"{what} has nothing to do", "query() is False")
        accelerator.set_device_index(self.devices[-1].index)
        self.expect_device(make(), self.devices[-1], "Stream() is on the current device")
        same = make(self.device)
        self.expect_true(same == make(stream_id=same.stream_id, device_index=same.device_index, device_type=same.device_type),
                         "Stream(stream_id, device_index, device_type) is that stream", "it is another one")  # fmt: skip

    def current_streams(self, ask):
        for device in self.devices[:2]:
            stream = torch.Stream(device)
            before = accelerator.current_stream(device)
            with stream:
                for form, argument in self.forms(device).items():
                    self.expect_true(
                        ask(argument) == stream,
                        f"current_stream({form}) is the one of a with block",
                        "it is another one",
                    )
                self.expect_true(ask() == stream, "current_stream() is that of the current device", "it is another one")
            self.expect_true(
                ask(device) == before, "current_stream is the former one after the block", "it is another one"
            )

    def default_streams(self, ask):
        for device in self.devices[:2]:
            with torch.Stream(device):
                seen = ask(device)
                self.expect_device(seen, device, "default_stream is on the device that was asked for")
                self.expect_true(seen == ask(device.index), "default_stream is the same each time", "it is another one")
                self.expect_true(
                    seen != accelerator.current_stream(device),
                    "default_stream is not the stream of a with block",
                    "it is",
                )
            with concurrent.futures.ThreadPoolExecutor(1) as other:
                first = other.submit(accelerator.current_stream, device).result()
            self.expect_equal(seen, first, "default_stream is the one on which a new thread begins")

    def set_streams(self, switch):
        for device in self.devices[:2]:
            before, stream = accelerator.current_stream(device), torch.Stream(device)
            switch(stream)
            self.expect_true(
                accelerator.current_stream(device) == stream, "set_stream makes its argument current", "it does not"
            )
            self.expect_equal(accelerator.current_device_index(), device.index, "set_stream makes its device current")
            switch(None)
            self.expect_true(
                accelerator.current_stream(device) == stream, "set_stream(None) changes nothing", "it does"
            )
            switch(before)

    def stream_blocks(self, block):
        for device in reversed(self.devices[:2]):
            before, stream = accelerator.current_stream(device), torch.Stream(device)
            with block(stream):
                self.expect_true(
                    accelerator.current_stream(device) == stream, "stream(s) makes s current", "it does not"
                )
            self.expect_true(
                accelerator.current_stream(device) == before, "stream(s) restores the former one", "it does not"
            )

    def synchronized(self, wait):
        for device in self.devices[:2]:
            for form, argument in (*self.forms(device).items(), ("None", None)):
                accelerator.set_device_index(device.index)
                stream, x = torch.Stream(device), torch.zeros(1 << 16).to(device)
                stream.wait_stream(accelerator.current_stream(device))
                with stream:
                    for _ in range(8):
                        x = x + 1
                wait(argument)
                self.expect_true(
                    stream.query(), f"after synchronize({form}) no stream of the device has work", "query() is False"
                )

    def test_events(self):
        """device_module.events_are_made_for_their_use"""
        make = self.offered("Event")["Event"]
        try:
            stream = torch.Stream(self.device)
            stream.record_event()
        except (RuntimeError, NotImplementedError) as error:
            self.lacks("events", error)
        for options in (
            {},
            {"enable_timing": True},
            {"blocking": True},
            {"enable_timing": True, "blocking": True, "interprocess": False},
        ):
            first, second = make(**options), make(**options)
            self.expect_true(isinstance(first, torch.Event), f"Event({options}) is a torch.Event", repr(type(first)))
            self.expect_equal(first.device.type, self.device_name, f"Event({options}) is of the backend")
            self.expect_true(first.query(), f"Event({options}) that was never recorded is complete", "query() is False")
            first.record(stream)
            second.record(stream)
            stream.wait_event(second)
            second.synchronize()
            self.expect_true(
                first.query() and second.query(),
                f"Event({options}) is complete once it was waited for",
                "query() is False",
            )
            if options.get("enable_timing"):
                self.expect_true(
                    self.milliseconds(first, second), "elapsed_time of two events with timing is a time", "it is none"
                )
            else:
                self.expect_raises(
                    ValueError, f"elapsed_time of Event({options}) is refused", first.elapsed_time, second
                )

    def milliseconds(self, first, second):
        with self.asks_a_special_case():  # events that are complete: what is refused there was not made for it
            return first.elapsed_time(second) >= 0

    def test_places(self):
        """device_module.devices_of_things_are_made_current"""
        first, last = self.devices[0], self.devices[-1]
        accelerator.set_device_index(first.index)
        offered = self.offered("device_of", "device")
        if "device_of" in offered:
            block = offered["device_of"]
            for what, thing, wanted in (
                ("a tensor", torch.zeros(1).to(last), last),
                ("a tensor of the CPU", torch.zeros(1), first),
            ):
                with block(thing):
                    self.expect_equal(accelerator.current_device_index(), wanted.index, f"inside device_of({what})")
                self.expect_equal(accelerator.current_device_index(), first.index, f"after device_of({what})")
        if "device" in offered:
            with offered["device"](last), offered["device"](first.index):
                self.expect_equal(
                    accelerator.current_device_index(), first.index, "inside two blocks the inner one counts"
                )
            self.expect_equal(
                accelerator.current_device_index(), first.index, "after both blocks the first counts again"
            )

    def test_descriptions(self):
        """device_module.descriptions_take_every_form"""
        offered = self.offered(
            "get_device_properties", "get_device_name", "get_device_capability", "can_device_access_peer"
        )
        peer = offered.pop("can_device_access_peer", None)
        for name, ask, one in each(self, offered):
            with one:
                for device in self.devices[:2]:
                    wanted = ask(device.index)
                    for form, argument in self.forms(device).items():
                        self.expect_equal(ask(argument), wanted, f"{name}({form}) says what it says of the index")
                    accelerator.set_device_index(device.index)
                    for argument in (None, self.device_name, torch.device(self.device_name)):
                        self.expect_equal(ask(argument), wanted, f"{name}({argument!r}) is about the current device")
                for wrong in (len(self.devices) + 90, "cpu", torch.device("cpu", 0), 1.5):
                    self.expect_raises(Exception, f"{name}({wrong!r}) is refused", ask, wrong)
        if peer:
            first, last = self.devices[0], self.devices[-1]
            seen = peer(first, last)
            self.expect_true(type(seen) is bool, "can_device_access_peer is a bool", repr(seen))
            self.expect_equal(peer(first.index, str(last)), seen, "can_device_access_peer takes an int and a word")
            self.expect_raises(
                Exception, "a peer that is not there is refused", peer, first.index, len(self.devices) + 90
            )

    def test_seeds(self):
        """device_module.seeds_reach_their_devices"""
        offered = self.offered(
            "manual_seed", "manual_seed_all", "seed", "seed_all", "initial_seed", "get_rng_state", "set_rng_state"
        )
        if len(offered) < 7:
            self.does_not_apply("some names are lacking")
        states = [offered["get_rng_state"](device) for device in self.devices]
        try:
            self.seeded(
                **{
                    name: offered[name]
                    for name in ("manual_seed", "manual_seed_all", "seed", "seed_all", "initial_seed")
                }
            )
            self.saved(offered["get_rng_state"], offered["set_rng_state"])
        finally:
            for device, state in zip(self.devices, states):
                offered["set_rng_state"](state, device)

    def told(self, initial_seed):
        seeds = []
        for device in self.devices:
            accelerator.set_device_index(device.index)
            seeds.append(initial_seed())
        return seeds

    def seeded(self, manual_seed, manual_seed_all, seed, seed_all, initial_seed):
        for number in (7, 0, 2**63 + 5):
            manual_seed_all(number)
            self.expect_equal(
                self.told(initial_seed), [number] * len(self.devices), f"manual_seed_all({number}) seeds every device"
            )
        for position, device in enumerate(self.devices):
            manual_seed_all(3)
            accelerator.set_device_index(device.index)
            manual_seed(11)
            wanted = [11 if at == position else 3 for at in range(len(self.devices))]
            self.expect_equal(self.told(initial_seed), wanted, "manual_seed seeds the current device and no other")
            accelerator.set_device_index(device.index)
            seed()
            seeds = self.told(initial_seed)
            self.expect_true(seeds[position] != 11, "seed() gives the current device another seed", f"{seeds}")
            self.expect_equal(
                [one for at, one in enumerate(seeds) if at != position],
                [3] * (len(self.devices) - 1),
                "seed() leaves other devices alone",
            )
        seed_all()
        seeds = self.told(initial_seed)
        self.expect_true(3 not in seeds and 11 not in seeds, "seed_all() gives every device another seed", f"{seeds}")

    def saved(self, get_state, set_state):
        for device in self.devices:
            accelerator.set_device_index(device.index)
            for form, argument in self.forms(device).items():
                before = get_state(argument)
                drawn = self.on_cpu(self.op("aten::uniform_", torch.rand, 8, device=device))
                self.expect_different(get_state(argument), before, f"a draw changes the state of get_rng_state({form})")
                set_state(before, argument)
                self.expect_tensor(
                    torch.rand(8, device=device), drawn, f"set_rng_state(state, {form}) brings the numbers back"
                )
            if device == self.device:
                self.expect_tensor(get_state(), get_state(self.device), "get_rng_state() is about the current device")
