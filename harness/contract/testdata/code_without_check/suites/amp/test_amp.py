class Amp:
    def test_lists(self):
        """amp.lists"""

    def test_without(self):
        """amp.without

        More words."""

    def test_no_id(self):
        self.x = 1
