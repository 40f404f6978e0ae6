"""An event through llama.cpp's server with a tiny model of random weights, which talks nonsense.

The variable ARENA_LLAMA_SERVER names the program llama-server; the package gguf writes the model.
"""

import contextlib
import csv
import os
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.results.archive import Archive
from tests.extras.models import kills_of_runs
from tests.extras.models.test_litellm import TapedCalls, tape_size
from tests.extras.models.test_models import calls_in
from tests.extras.models.test_several_models import edit, run, served, two_by_two
from tests.support import events
from tests.support.processes import until

SERVER = os.environ.get("ARENA_LLAMA_SERVER")
WIDTH, INNER, HEADS = 32, 64, 4


def write_model(gguf: Any, path: Path) -> None:
    """Write a model of one block, whose tokens are bytes, and whose weights are random."""
    random = np.random.default_rng(1)
    tokens = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256))]
    kinds = [gguf.TokenType.UNKNOWN, *[gguf.TokenType.CONTROL] * 2, *[gguf.TokenType.BYTE] * 256]
    file = gguf.GGUFWriter(path, "llama")
    file.add_context_length(8192)
    file.add_embedding_length(WIDTH)
    file.add_block_count(1)
    file.add_feed_forward_length(INNER)
    file.add_head_count(HEADS)
    file.add_head_count_kv(HEADS)
    file.add_layer_norm_rms_eps(1e-5)
    file.add_rope_dimension_count(WIDTH // HEADS)
    file.add_vocab_size(len(tokens))
    file.add_tokenizer_model("llama")
    file.add_token_list(tokens)
    file.add_token_scores([0.0] * len(tokens))
    file.add_token_types(kinds)
    file.add_bos_token_id(1)
    file.add_eos_token_id(2)
    file.add_unk_token_id(0)
    for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"):
        file.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))
    shapes = {"token_embd": (len(tokens), WIDTH), "output": (len(tokens), WIDTH)}
    shapes |= {f"blk.0.attn_{name}": (WIDTH, WIDTH) for name in ("q", "k", "v", "output")}
    shapes |= {"blk.0.ffn_gate": (INNER, WIDTH), "blk.0.ffn_up": (INNER, WIDTH)}
    shapes |= {"blk.0.ffn_down": (WIDTH, INNER)}
    for name, shape in shapes.items():
        file.add_tensor(f"{name}.weight", random.normal(0, 0.5, shape).astype(np.float32))
    file.write_header_to_file()
    file.write_kv_data_to_file()
    file.write_tensors_to_file()
    file.close()


@contextlib.contextmanager
def llama_server(model: Path) -> Iterator[str]:
    """Run the server; yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [SERVER, "-m", model, "--host", "127.0.0.1", "--port", str(port)]
    words += ["-c", "16384", "-np", "2", "-t", "1"]
    log = model.with_suffix(".log")
    with log.open("w") as file:
        process = subprocess.Popen(words, stdout=file, stderr=file)
    try:
        address = f"http://127.0.0.1:{port}"

        def lives() -> bool:
            with contextlib.suppress(OSError):
                return urllib.request.urlopen(f"{address}/health").status == 200
            return False

        assert until(lives, 120), log.read_text()[-2000:]
        yield f"{address}/v1"
    finally:
        process.kill()
        process.wait()


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.skipif(SERVER is None, reason="ARENA_LLAMA_SERVER names no llama-server")
def test_an_event_through_llama_cpp_is_killed_and_played_again_from_its_tape(tmp_path):
    gguf = pytest.importorskip("gguf")
    write_model(gguf, tmp_path / "tiny.gguf")
    with llama_server(tmp_path / "tiny.gguf") as url:
        line = f'url = "{url}"'
        folder = two_by_two(tmp_path / "w", line, repeats=2)
        edit(folder, "temperature = 0.5", "temperature = 0.5\nmax_tokens = 40")
        edit(folder, "max_completion_tokens = 300", "max_completion_tokens = 40")
        results = folder / "results" / "cup"
        Archive.make(results)
        event = events.event_of(folder)
        kills_of_runs.play(event, results, TapedCalls(results), served(folder), kills=10)
        assert run(folder).complete
    tables = events.tables(results)
    assert len(calls_in(results)) == tape_size(results)
    edit(folder, 'name = "cup"', 'name = "again"')
    edit(folder, line, 'provider = "tape"\ntapes = ["cup"]')
    assert run(folder, "results/again").complete  # the server has ended
    assert events.tables(folder / "results" / "again") == tables
    with (results / "models.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    for row in rows:
        assert int(row["unreadable"]) + int(row["cut"]) > 0
        assert float(row["no_move"]) > 0
