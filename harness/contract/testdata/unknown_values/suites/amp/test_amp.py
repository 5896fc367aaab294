class Amp:
    def test_lists(self):
        """amp.lists"""

    def test_without(self):
        """amp.without

        More words."""
