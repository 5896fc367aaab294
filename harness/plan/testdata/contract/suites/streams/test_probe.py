class Probe:
    def test_probe(self):
        """streams.probe"""
