# SPDX-License-Identifier: BSD-3-Clause
"""The pages of a history: what the record says (record.py), what follows from it (events.py), and the site."""
