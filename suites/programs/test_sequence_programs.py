# SPDX-License-Identifier: BSD-3-Clause
"""Sequences of different lengths: all kinds of recurrent networks, packed sequences, and training without an
alignment."""

import torch
import torch.nn.functional as F
from assay.programs.judge import ProgramCase, program
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence, unpad_sequence

PRELOAD = ("torch._dynamo",)
LENGTHS = (5, 2, 4)
KINDS = {
    "RNN": lambda: nn.RNN(4, 6, nonlinearity="relu"),
    "LSTM of two layers": lambda: nn.LSTM(4, 6, num_layers=2, batch_first=True),
    "bidirectional LSTM": lambda: nn.LSTM(4, 6, bidirectional=True),
    "LSTM with a projection": lambda: nn.LSTM(4, 6, proj_size=3),
    "bidirectional GRU": lambda: nn.GRU(4, 6, bidirectional=True, batch_first=True),
}


def kind_of_recurrence(make):
    def recurrent_net(place):
        model = place.model(make)
        x = place.numbers(3, 5, 4) if model.batch_first else place.numbers(5, 3, 4)
        x.requires_grad_(True)
        out, last = model(x)
        place.see("the outputs", out)
        for number, one in enumerate(last if isinstance(last, tuple) else (last,)):
            place.see(f"the last state, part {number}", one)
        (out.square().mean() + out.sum() / 10).backward()
        place.see_gradients([("the input", x), *model.named_parameters()], "one backward")

    return recurrent_net


class Cells(nn.Module):
    """A recurrent network that calls a cell for each step."""

    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([nn.LSTMCell(4, 4), nn.GRUCell(4, 4), nn.RNNCell(4, 4)])

    def forward(self, x):
        long, gated, plain = self.cells
        state, h, k = None, None, None
        for now in x:
            state = long(now, state)
            h = gated(state[0], h)
            k = plain(h, k)
        return k


@program("programs.recurrent_cells_train")
def recurrent_cells(place):
    model, x = place.model(Cells), place.numbers(4, 3, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    place.train(model, optimizer, lambda number: model(x).square().mean())


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.scores = nn.Embedding(11, 4, padding_idx=0), nn.Linear(12, 5)
        self.reads = nn.LSTM(4, 6, bidirectional=True, batch_first=True)

    def forward(self, text, lengths):
        packed = pack_padded_sequence(self.words(text), lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.reads(packed)
        return self.scores(pad_packed_sequence(out, batch_first=True)[0])


@program("programs.tagger_on_packed_sequences_trains")
def packed_tagger(place):
    model, lengths = place.model(Tagger), torch.tensor(LENGTHS)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    is_word = place.put(torch.arange(5) < lengths[:, None])
    text, tags = place.labels(10, 3, 5) + 1, place.labels(5, 3, 5)
    text, tags = text.masked_fill(~is_word, 0), tags.masked_fill(~is_word, -100)
    place.train(model, optimizer, lambda number: F.cross_entropy(model(text, lengths).transpose(1, 2), tags))


@program("programs.packed_sequences_keep_their_order")
def packed_sequences(place):
    """Packs a list of sequences, runs a network, and unpacks the result to a list in the same order."""
    parts = [place.numbers(length, 4) for length in LENGTHS]
    model = place.model(lambda: nn.GRU(4, 3))
    packed, _ = model(pack_sequence(parts, enforce_sorted=False))
    place.see("the data of the packed sequence", packed.data)
    place.see("the order of the packed sequence", packed.sorted_indices)
    padded, lengths = pad_packed_sequence(packed)
    place.see("the lengths", lengths)
    for number, part in enumerate(unpad_sequence(padded, lengths)):
        place.see(f"sequence {number}", part)
    place.see("the data sent to the CPU", packed.to("cpu").data)


@program("programs.ctc_model_trains")
def unaligned_speech(place):
    model = place.model(lambda: nn.Sequential(nn.Linear(6, 10), nn.Tanh(), nn.Linear(10, 5)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    sound, text = place.numbers(12, 3, 6), place.labels(4, 3, 4) + 1
    lengths, targets = torch.tensor([12, 9, 10]), torch.tensor([4, 2, 3])

    def loss_of(number):
        return F.ctc_loss(model(sound).log_softmax(-1), text, lengths, targets, zero_infinity=True)

    place.train(model, optimizer, loss_of)


class SequencePrograms(ProgramCase):
    def test_kinds(self):
        """programs.recurrent_networks_match_the_cpu"""
        for name, make in KINDS.items():
            with self.subTest(kind=name):
                self.judge(kind_of_recurrence(make), what=f"{name}: the device's results equal the CPU's results in double")
