# SPDX-License-Identifier: BSD-3-Clause
"""Names of torch.cuda that a device module may offer. An offered name must behave as it does in torch.cuda."""

import concurrent.futures

import torch
from assay.checks import Case
from assay.checks.asking import each

accelerator = torch.accelerator
# AttributeError is missing here, because it shows that the function did not check its argument.
REFUSALS = (OverflowError, TypeError, ValueError, RuntimeError, AssertionError)


class ModuleNames(Case):
    def setUp(self):
        super().setUp()
        self.put_device_back()

    def offered(self, *names):
        """Returns the functions with these names that the module has. Ends the check if the module has no such
        function."""
        found = {name: getattr(self.device_module, name) for name in names if hasattr(self.device_module, name)}
        self.note("not offered", ", ".join(name for name in names if name not in found) or "none")
        if not found:
            self.does_not_apply(f"torch.{self.device_name} has none of {', '.join(names)}")
        return found

    def forms(self, device):
        return {"an int": device.index, "a word": str(device), "a device": device}

    def refuses_other_things(self, name, ask):
        """Expects a clear refusal or a result. torch.cuda's functions accept these arguments and use the current
        device, by _get_device_index(optional=True), if an object names no device."""
        for wrong in (1.5, [0], object()):
            try:
                ask(wrong)
            except REFUSALS:
                continue
            except Exception as error:
                what = f"{name}({type(wrong).__name__}) names no device: it is refused or means the current device"
                self.expect(False, what, f"{type(error).__name__}: {error}")

    def test_streams(self):
        """device_module.stream_functions_create_set_and_restore_streams"""
        offered = self.offered("Stream", "current_stream", "default_stream", "set_stream", "stream", "synchronize")
        self.supported("streams", torch.Stream, self.device)
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
                    self.expect_true(stream.query(), f"{what} has no pending work", "query() is False")
            self.expect_device(make(device=device), device, "Stream(device=) is on that device")
        accelerator.set_device_index(self.devices[-1].index)
        self.expect_device(make(), self.devices[-1], "Stream() is on the current device")
        self.expect_raises(TypeError, "a priority that is not a number is refused", make, self.device, priority="high")
        self.expect_raises(REFUSALS, "a stream of a device that does not exist is refused", make, len(self.devices) + 90)
        self.refuses_other_things("Stream", make)
        same = make(self.device)
        self.expect_true(same == make(stream_id=same.stream_id, device_index=same.device_index, device_type=same.device_type),
                         "Stream(stream_id, device_index, device_type) equals the stream with this id", "it is another stream")  # fmt: skip

    def current_streams(self, ask):
        for device in self.devices[:2]:
            stream = torch.Stream(device)
            before = accelerator.current_stream(device)
            with stream:
                for form, argument in self.forms(device).items():
                    self.expect_true(
                        ask(argument) == stream,
                        f"current_stream({form}) is the stream of the with block",
                        "it is another stream",
                    )
                for form, argument in (("None", None), ("the bare device", self.bare_device)):
                    self.expect_equal(ask(argument), stream, f"current_stream({form}) is the stream of the current device")
                self.expect_true(ask() == stream, "current_stream() is the stream of the current device", "it is another stream")
            self.expect_true(
                ask(device) == before, "current_stream is the previous stream after the block", "it is another stream"
            )

        self.refuses_other_things("current_stream", ask)

    def default_streams(self, ask):
        for device in reversed(self.devices[:2]):
            accelerator.set_device_index(device.index)
            for form, argument in (*self.forms(device).items(), ("None", None), ("the bare device", self.bare_device)):
                self.expect_device(ask(argument), device, f"default_stream({form}) is of that device")
            self.expect_device(ask(), device, "default_stream() is of the current device")
            with torch.Stream(device):
                seen = ask(device)
                self.expect_device(seen, device, "default_stream(device) is on that device")
                self.expect_true(seen == ask(device.index), "default_stream returns the same stream on each call", "it is another stream")
                self.expect_true(
                    seen != accelerator.current_stream(device),
                    "default_stream is not the stream of a with block",
                    "it is the stream of the with block",
                )
            with concurrent.futures.ThreadPoolExecutor(1) as other:
                first = other.submit(accelerator.current_stream, device).result()
            self.expect_equal(seen, first, "default_stream is the current stream of a new thread")

    def set_streams(self, switch):
        for device in self.devices[:2]:
            before, stream = accelerator.current_stream(device), torch.Stream(device)
            switch(stream)
            self.expect_true(
                accelerator.current_stream(device) == stream, "set_stream makes its argument current", "its argument is not current"
            )
            self.expect_equal(accelerator.current_device_index(), device.index, "set_stream makes its device current")
            switch(None)
            self.expect_true(
                accelerator.current_stream(device) == stream, "set_stream(None) changes nothing", "another stream is current"
            )
            switch(before)

    def stream_blocks(self, block):
        for device in reversed(self.devices[:2]):
            before, stream = accelerator.current_stream(device), torch.Stream(device)
            with block(stream):
                self.expect_true(
                    accelerator.current_stream(device) == stream, "stream(s) makes s current", "s is not current"
                )
                self.expect_equal(accelerator.current_device_index(), device.index, "stream(s) makes its device current")
                with block(None):
                    self.expect_equal(accelerator.current_stream(device), stream, "stream(None) changes nothing")
                self.expect_equal(accelerator.current_stream(device), stream, "leaving stream(None) changes nothing")
            self.lets_out("stream(s)", block(stream))
            self.expect_true(
                accelerator.current_stream(device) == before, "leaving stream(s) restores the previous stream", "another stream is current"
            )

    def lets_out(self, name, context):
        """Expects that an exception leaves the block, and that the previous device is current afterwards."""
        before = accelerator.current_device_index()
        try:
            with context:
                raise KeyError(name)
        except KeyError:
            pass
        else:
            self.expect(False, f"an exception in the block of {name} is raised to the caller", "the exception was suppressed")
        self.expect_equal(accelerator.current_device_index(), before, f"after an exception in the block of {name} the previous device is current")

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

        for index in (len(self.devices) + 90, 256):
            self.expect_raises(REFUSALS, f"synchronize({index}) of a device that does not exist is refused", wait, index)
        self.refuses_other_things("synchronize", wait)

    def test_events(self):
        """device_module.events_receive_their_options"""
        make = self.offered("Event")["Event"]
        stream = self.supported("events", torch.Stream, self.device)
        self.supported("events", stream.record_event)
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
                f"Event({options}) is complete after synchronize()",
                "query() is False",
            )
            if options.get("enable_timing"):
                self.expect_true(
                    self.milliseconds(first, second), "elapsed_time of two events with timing is not negative", "it is negative"
                )
            else:
                self.expect_raises(
                    ValueError, f"elapsed_time of Event({options}) is refused", first.elapsed_time, second
                )

        for name in ("enable_timing", "blocking", "interprocess"):
            self.expect_raises(TypeError, f"Event({name}=) refuses a string instead of a bool", make, **{name: "yes"})
        self.expect_raises(TypeError, "Event() refuses an unknown keyword", make, enable_clock=True)

    def milliseconds(self, first, second):
        with self.asks_a_special_case():  # Both events are complete and have timing, so a refusal here is a failure.
            return first.elapsed_time(second) >= 0

    def test_places(self):
        """device_module.device_of_makes_the_device_of_a_tensor_current"""
        first, last = self.devices[0], self.devices[-1]
        accelerator.set_device_index(first.index)
        offered = self.offered("device_of", "device")
        if "device_of" in offered:
            block = offered["device_of"]
            for what, thing, wanted in (
                ("a tensor", torch.zeros(1).to(last), last),
                ("a CPU tensor", torch.zeros(1), first),
                ("a storage", torch.zeros(1).to(last).untyped_storage(), last),
                ("a CPU storage", torch.zeros(1).untyped_storage(), first),
            ):
                with block(thing):
                    self.expect_equal(accelerator.current_device_index(), wanted.index, f"the current device inside device_of({what})")
                self.expect_equal(accelerator.current_device_index(), first.index, f"the current device after device_of({what})")
        if "device" in offered:
            with offered["device"](last), offered["device"](first.index):
                self.expect_equal(
                    accelerator.current_device_index(), first.index, "inside two nested blocks, the device of the inner one is current"
                )
            self.expect_equal(
                accelerator.current_device_index(), first.index, "after both blocks, the first device is current again"
            )
            with offered["device"](first):
                accelerator.set_device_index(last.index)
            self.expect_equal(accelerator.current_device_index(), first.index, "leaving a block that switched the device itself restores the previous device")
            self.without_a_device(offered["device"], first)
            self.refuses_other_things("device", lambda wrong: self.stays(offered["device"](wrong), first))
        for name, block in offered.items():
            self.lets_out(name, block(torch.zeros(1).to(last) if name == "device_of" else last))

    def stays(self, context, current):
        with context:
            self.expect_equal(accelerator.current_device_index(), current.index, "a block whose argument names no device changes nothing")

    def without_a_device(self, block, current):
        """The module may offer torch.accelerator.device_index under this name, and that class refuses None."""
        try:
            context = block(None)
        except REFUSALS as error:
            self.note("device(None)", error)
            return
        self.stays(context, current)

    def test_descriptions(self):
        """device_module.device_queries_accept_every_kind_of_device_argument"""
        offered = self.offered(
            "get_device_properties", "get_device_name", "get_device_capability", "can_device_access_peer"
        )
        peer = offered.pop("can_device_access_peer", None)
        questions = {
            "get_device_properties": self.properties, "get_device_name": self.name_of, "get_device_capability": self.capability_of,
        }  # fmt: skip
        for name, ask, one in each(self, offered):
            with one:
                for device in self.devices[:2]:
                    wanted = ask(device.index)
                    for form, argument in self.forms(device).items():
                        self.expect_equal(ask(argument), wanted, f"{name}({form}) returns the same as for the index")
                    accelerator.set_device_index(device.index)
                    for argument in (None, self.device_name, torch.device(self.device_name)):
                        self.expect_equal(ask(argument), wanted, f"{name}({argument!r}) is about the current device")
                for wrong in (len(self.devices) + 90, "cpu", torch.device("cpu", 0)):
                    self.expect_raises(Exception, f"{name}({wrong!r}) is refused", ask, wrong)
                self.refuses_other_things(name, ask)
                questions[name](ask)
        if peer:
            first, last = self.devices[0], self.devices[-1]
            seen = peer(first, last)
            self.expect_true(type(seen) is bool, "can_device_access_peer is a bool", repr(seen))
            self.expect_equal(peer(first.index, str(last)), seen, "can_device_access_peer accepts an int and a string")
            self.expect_raises(
                Exception, "a peer that does not exist is refused", peer, first.index, len(self.devices) + 90
            )
            self.expect_raises(
                Exception, "the peer of a device that does not exist is refused", peer, len(self.devices) + 90, first.index
            )

    def properties(self, ask):
        """Checks fields of torch.cuda's and torch.xpu's properties. Each field may be absent."""
        for device in self.devices[:2]:
            seen = ask(device.index)
            self.expect_true(seen is not None, "get_device_properties describes the device", "None")
            if hasattr(seen, "total_memory"):
                self.expect_true(isinstance(seen.total_memory, int) and seen.total_memory > 0, "total_memory is a positive number of bytes", repr(seen.total_memory))
            if hasattr(seen, "name") and hasattr(self.device_module, "get_device_name"):
                self.expect_equal(self.device_module.get_device_name(device.index), seen.name, "get_device_name is the name among the properties")
            if hasattr(seen, "has_fp64"):
                self.expect_equal(bool(seen.has_fp64), self.computes_doubles(device), "has_fp64 says whether the device computes float64")

    def computes_doubles(self, device):
        try:
            return (torch.ones(3, dtype=torch.float64).to(device) + 2**-40).cpu().tolist() == [1 + 2**-40] * 3
        except (RuntimeError, NotImplementedError, TypeError):
            return False

    def name_of(self, ask):
        for device in self.devices[:2]:
            seen = ask(device.index)
            self.expect_true(isinstance(seen, str) and seen.strip(), "get_device_name is a non-empty string", repr(seen))

    def capability_of(self, ask):
        seen = ask(self.device.index)
        self.expect_true(seen is not None, "get_device_capability is not empty", "None")
        try:
            wanted = accelerator.get_device_capability(self.device)
        except (AttributeError, RuntimeError, NotImplementedError) as error:
            self.note("torch.accelerator.get_device_capability", error)
            return
        if isinstance(seen, dict):
            self.expect_equal(seen, wanted, "get_device_capability equals torch.accelerator's")

    def test_seeds(self):
        """device_module.seed_functions_seed_only_the_given_devices"""
        offered = self.offered(
            "manual_seed", "manual_seed_all", "seed", "seed_all", "initial_seed", "get_rng_state", "set_rng_state"
        )
        if len(offered) < 7:
            self.does_not_apply("the device module lacks some of the names")
        states = [offered["get_rng_state"](device) for device in self.devices]
        try:
            self.seeded(
                **{
                    name: offered[name]
                    for name in ("manual_seed", "manual_seed_all", "seed", "seed_all", "initial_seed")
                }
            )
            self.saved(offered["get_rng_state"], offered["set_rng_state"])
            for index in (len(self.devices) + 90, 256):
                self.expect_raises(Exception, f"get_rng_state({index}) is refused", offered["get_rng_state"], index)
            self.refuses_other_things("get_rng_state", offered["get_rng_state"])
            self.default_ones(offered["manual_seed_all"])
        finally:
            for device, state in zip(self.devices, states):
                offered["set_rng_state"](state, device)

    def default_ones(self, manual_seed_all):
        """Checks torch.<name>.default_generators, which has one generator per device, as in torch.cuda."""
        if not hasattr(self.device_module, "default_generators"):
            return
        manual_seed_all(5)
        generators = self.device_module.default_generators
        self.expect_equal(len(generators), accelerator.device_count(), "there is one default generator for each device")
        for device in self.devices[:2]:
            mine = generators[device.index]
            self.expect_device(mine, device, "default_generators[i] is of device i")
            self.expect_equal(mine.initial_seed(), 5, "manual_seed_all seeds default_generators[i]")
            before = mine.get_state()
            self.on_cpu(self.op("aten::uniform_", torch.rand, 8, device=device))
            self.expect_different(mine.get_state(), before, "a draw without a generator advances default_generators[i]")

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
                "seed() does not change the seed of other devices",
            )
        for number in (7.0, True):
            manual_seed_all(number)
            self.expect_equal(self.told(initial_seed), [int(number)] * len(self.devices), f"manual_seed_all({number}) converts its argument to an int, as torch.manual_seed does")
            accelerator.set_device_index(self.device.index)
            manual_seed_all(11)
            manual_seed(number)
            self.expect_equal(self.told(initial_seed)[0], int(number), f"manual_seed({number}) converts its argument to an int")
        manual_seed_all(3)
        seed_all()
        seeds = self.told(initial_seed)
        self.expect_equal(seeds, seeds[:1] * len(seeds), "seed_all() gives every device the same seed")
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
                    torch.rand(8, device=device), drawn, f"set_rng_state(state, {form}) restores the sequence of numbers"
                )
            set_state(torch.Generator(device).manual_seed(device.index + 21).get_state(), device)
            for argument in (self.device_name, self.bare_device):
                self.expect_tensor(get_state(argument), get_state(device.index), f"get_rng_state({argument!r}) is about the current device")
            if device == self.device:
                self.expect_tensor(get_state(), get_state(self.device), "get_rng_state() is about the current device")

    def test_amp(self):
        """device_module.amp_classes_pass_on_their_arguments"""
        amp = getattr(self.device_module, "amp", None)
        offered = {name: getattr(amp, name) for name in ("GradScaler", "autocast") if hasattr(amp, name)}
        if not offered:
            self.does_not_apply(f"torch.{self.device_name}.amp has no GradScaler and no autocast")
        questions = {"GradScaler": self.scalers, "autocast": self.regions}
        for name, make, one in each(self, offered):
            with one:
                questions[name](make)
        ask, dtypes = (getattr(self.device_module, name, None) for name in ("is_bf16_supported", "get_amp_supported_dtype"))
        if ask and dtypes:
            self.expect_equal(ask(), torch.bfloat16 in dtypes(), "is_bf16_supported() agrees with get_amp_supported_dtype()")

    def scalers(self, make):
        names = ("init_scale", "growth_factor", "backoff_factor", "growth_interval")
        values, what = (8.0, 4.0, 0.25, 7), f"GradScaler accepts {', '.join(names)} as"
        made = {f"{what} keywords": make(**dict(zip(names, values))), f"{what} positional arguments": make(*values)}
        for text, scaler in made.items():
            seen = (scaler.get_scale(), scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval())
            self.expect_equal(seen, values, text)
        self.expect_true(isinstance(make(), torch.amp.GradScaler), "GradScaler() is a torch.amp.GradScaler", repr(type(make())))
        self.expect_equal(make().is_enabled(), True, "GradScaler() is enabled")
        self.expect_equal(make(enabled=False).is_enabled(), False, "GradScaler(enabled=False) is not enabled")
        self.expect_equal(make().get_scale(), torch.amp.GradScaler(self.device_name).get_scale(), "GradScaler() has the initial scale of torch.amp.GradScaler")
        self.expect_raises(TypeError, "GradScaler() refuses an unknown keyword", make, no_scale=1.0)
        scaler = make(init_scale=8.0)
        self.op("aten::mul", scaler.scale, self.on_device(torch.ones(2)))
        self.expect_equal(scaler.state_dict()["scale"], 8.0, "the state of GradScaler has the format of torch.amp.GradScaler")

    def regions(self, make):
        name, before = self.device_name, self.autocast_state()
        dtypes = self.device_module.get_amp_supported_dtype()
        for dtype in dtypes:
            what = "autocast accepts enabled, dtype and cache_enabled as"
            options = {"enabled": True, "dtype": dtype, "cache_enabled": False}
            for text, region in {f"{what} keywords": make(**options), f"{what} positional arguments": make(*options.values())}.items():
                with region:
                    self.expect_equal(self.autocast_state(), (True, dtype, False), text)
                self.expect_equal(self.autocast_state(), before, "leaving autocast restores enabled, dtype and cache_enabled")
        with make(enabled=False):
            self.expect_equal(torch.is_autocast_enabled(name), False, "autocast(enabled=False) is off")
        with make():
            self.expect_equal(self.autocast_state(), (True, before[1], True), "autocast() is enabled, with the default dtype and the cache")
        self.expect_true(isinstance(make(), torch.autocast), "autocast() is a torch.autocast", repr(type(make())))
        self.lets_out("autocast()", make())

    def autocast_state(self):
        name = self.device_name
        return torch.is_autocast_enabled(name), torch.get_autocast_dtype(name), torch.is_autocast_cache_enabled()
