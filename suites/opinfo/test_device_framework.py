# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's test machinery for device types supports the backend. Each question uses a new process, because the
machinery keeps what it found at import."""

from assay.checks import Case

BASE = "PrivateUse1TestBase"
CHOSEN = {
    "PYTORCH_TESTING_DEVICE_ONLY_FOR": {"privateuse1": True, "NAME": True, "cpu": False},
    "PYTORCH_TESTING_DEVICE_EXCEPT_FOR": {"privateuse1": False, "NAME": False, "cpu": True},
    "PYTORCH_TESTING_DEVICE_FOR_CUSTOM": {"privateuse1": True},
}


class DeviceFramework(Case):
    def ask(self, question, *arguments):
        code = f"from suites.opinfo import device_framework; answer = device_framework.{question}(*{arguments!r})"
        return self.fresh(code, "PyTorch's test machinery accepts the backend")

    def test_bases(self):
        """opinfo.backend_has_a_device_test_base"""
        self.expect_equal(self.ask("bases").count(BASE), 1, f"the number of times that {BASE} is among the test bases")

    def test_devices(self):
        """opinfo.test_base_lists_every_device"""
        name, primary, every = self.ask("devices")
        count = self.count_of("guard") or len(self.devices)
        self.expect_equal(name, self.device_name, "the device type of the test base")
        self.expect_equal(sorted(every), sorted(f"{self.device_name}:{index}" for index in range(count)), "the devices of the test base")
        self.expect_equal(every[:1], [primary], "the primary device, which is the first one")

    def test_names(self):
        """opinfo.test_names_end_in_the_device_type"""
        first, second = self.ask("names")
        title = f"Second{self.device_name.upper()}"
        self.expect_equal(second, {title: [f"test_it_{self.device_name}"]}, "the names of the second class and its test")
        self.expect_true(first in ({"FirstPRIVATEUSE1": [f"test_it_{self.device_name}"]},
                                   {f"First{self.device_name.upper()}": [f"test_it_{self.device_name}"]}),
                         "the first class is named after the backend or PRIVATEUSE1, its test after the backend", first)

    def test_decorators(self):
        """opinfo.test_decorators_accept_the_renamed_backend"""
        self.expect_equal(self.ask("ran"), ["native", "only", "torch.int16"], "the decorated tests that ran")

    def test_variables(self):
        """opinfo.environment_variables_select_the_backend"""
        asked = [(variable, word.replace("NAME", self.device_name), is_wanted)
                 for variable, words in CHOSEN.items() for word, is_wanted in words.items()]
        answers = self.ask("desired", [(variable, value) for variable, value, _ in asked])
        for (variable, value, is_wanted), bases in zip(asked, answers, strict=True):
            self.expect_equal(BASE in bases, is_wanted, f"whether {variable}={value} selects the backend")
