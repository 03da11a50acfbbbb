"""`import`, and config.json files wherever a WORKLOAD may stand."""

import json
import re
import unittest

from program import SOURCES, TINY_ENDS, TINY_LAYER, ProgramTest

CONFIGS = SOURCES / "tests" / "interchange" / "configs"
PUBLISHED = json.loads((SOURCES / "tests/interchange/published_counts.json").read_text())
# Bytes of a token's keys and values in fp16.
CACHE_BYTES = {"llama3_8b": 131_072, "qwen25_7b": 57_344, "gemma2_9b": 344_064,
               "deepseek_v3": 70_272}


# Layers, hidden size, features of queries and of keys, feed-forward size, vocabulary.
SIZES = {"qwen3_8b": (36, 4096, 32 * 128, 8 * 128, 12288, 151936),
         "gemma2_9b": (42, 3584, 16 * 256, 8 * 256, 14336, 256000),
         "mistral_nemo": (40, 5120, 32 * 128, 8 * 128, 14336, 131072)}


class ImportTest(ProgramTest):
    def imported(self, name: str, *more: str) -> dict:
        done = self.run_here("import", str(CONFIGS / f"{name}.json"), "-o", "net.json", "--report",
                             "-", "-q", *more)
        self.assertEqual(done.code, 0, done.stderr)
        self.assert_valid("import", done.stdout)
        self.assert_valid("workload", (self.folder / "net.json").read_text())
        return done.json()

    def refused(self, text: str, *more: str) -> str:
        self.write("config.json", text)
        done = self.run_here("import", "config.json", *more)
        self.assertEqual(done.code, 2, done.stdout[:200])
        self.assertEqual(done.stdout, "")
        lines = done.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        return lines[0]

    def test_published_parameters(self) -> None:
        self.assertEqual(len(PUBLISHED), 32)
        for name, parameters in PUBLISHED.items():
            with self.subTest(name):
                self.assertEqual(self.imported(name)["parameters"], parameters)
        self.assertEqual(self.imported("mixtral_8x7b")["active_parameters"], 12_879_925_248)

    def test_bytes_of_the_cache(self) -> None:
        for name, size in CACHE_BYTES.items():
            with self.subTest(name):
                self.assertEqual(2 * self.imported(name)["cache_elements"], size)

    def test_plans_to_serve_count_the_products_of_layers_as_by_hand(self) -> None:
        prompt, output = 1024, 128
        for name, (layers, hidden, queries, keys, wide, vocabulary) in SIZES.items():
            with self.subTest(name):
                done = self.run_here("plan", str(CONFIGS / f"{name}.json"), "--serve", "--prompt",
                                     str(prompt), "--output", str(output), "--hardware", "wse3",
                                     "--report", "-", "-q")
                self.assertEqual(done.code, 0, done.stderr)
                self.assert_valid("wafer_serving", done.stdout)
                products = 2 * hidden * queries + 2 * hidden * keys + 3 * hidden * wide
                # Attention multiplies queries by keys, and scores by values.
                token = 2 * products + 4 * queries * (prompt + output // 2)
                in_prompt = 2 * products + 4 * queries * prompt
                self.assertEqual(done.json()["flop"], {
                    "token": layers * token + 2 * hidden * vocabulary, "token_layer": token,
                    "prompt": prompt * layers * in_prompt, "prompt_layer": prompt * in_prompt})

    def test_layers_that_repeat_are_few_entries(self) -> None:
        self.assertEqual(self.imported("deepseek_v3")["operators"], 63)
        entries = json.loads((self.folder / "net.json").read_text())["operators"]
        self.assertEqual([entry["name"] for entry in entries],
                         ["embedding", "layer_1_to_3", "layer_4_to_61", "head"])
        self.assertEqual([entry.get("repeat") for entry in entries], [None, 3, 58, None])
        self.imported("gemma2_9b")
        group = json.loads((self.folder / "net.json").read_text())["operators"][1]
        self.assertEqual(group["repeat"], 21)
        self.assertEqual([part.get("attention_window") for part in group["operators"]],
                         [4096, None])

    def test_notes_say_what_was_assumed_and_left_out(self) -> None:
        notes = " ".join(self.imported("deepseek_v3")["notes"])
        self.assertIn("a sample has 8192 tokens of 163840", notes)
        self.assertIn("num_nextn_predict_layers", notes)
        config = json.loads((CONFIGS / "llama3_8b.json").read_text())
        config["quantization_config"] = {"quant_method": "mxfp4"}
        self.write("config.json", json.dumps({"model_type": "llava", "text_config": config,
                                              "vision_config": {"hidden_size": 1024}}))
        done = self.run_here("import", "config.json", "--sequence", "4096", "-o", "net.json")
        self.assertEqual(done.code, 0, done.stderr)
        self.assertIn("left out: vision_config", done.stdout)
        self.assertIn("quant_method 'mxfp4' is not read", done.stdout)
        self.assertNotIn("a sample has", done.stdout)
        self.assertEqual(json.loads((self.folder / "net.json").read_text())["tokens"], 4096)

    def test_narrow_weights_are_read_of_five_methods(self) -> None:
        config = json.loads((CONFIGS / "llama3_8b.json").read_text())
        wide = {"num_bits": 8, "group_size": None}
        narrow = {"num_bits": 4, "group_size": 128}
        for method, weights, caches in (
                ({"quant_method": "awq", "bits": 4, "group_size": 64}, (4, 64), None),
                ({"quant_method": "gptq", "bits": 4}, (4, 128), None),
                ({"quant_method": "gptq", "bits": 3, "group_size": -1}, (3, 0), None),
                ({"quant_method": "bitsandbytes", "load_in_4bit": True}, (4, 64), None),
                ({"quant_method": "bitsandbytes", "load_in_8bit": True}, (8, 0), None),
                ({"quant_method": "fp8", "weight_block_size": [128, 128]}, (8, 16384), None),
                ({"quant_method": "compressed-tensors", "kv_cache_scheme": wide,
                  "config_groups": {"group_0": {"targets": ["Linear"], "weights": narrow}}},
                 (4, 128), (8, 0))):
            with self.subTest(method):
                config["quantization_config"] = method
                self.write("config.json", json.dumps(config))
                done = self.run_here("import", "config.json", "-o", "net.json", "--report", "-")
                self.assertEqual(done.code, 0, done.stderr)
                self.assertIn(f"kept in {weights[0]} bits", " ".join(done.json()["notes"]))
                found = json.loads((self.folder / "net.json").read_text())
                for key, wanted in (("weights", weights), ("caches", caches)):
                    kept = found.get(key)
                    self.assertEqual(kept and (kept["bits"], kept.get("group", 0)), wanted)
        done = self.run_here("workload", "net.json", "--report", "-")
        # Llama 3 8B: 6,979,321,856 numbers of matrices in 4 bits, a scale for each 128.
        self.assertEqual(done.json()["total"]["parameters"], PUBLISHED["llama3_8b"])
        self.assertEqual(done.json()["kept"],
                         {"weights": {"bits": 4, "group": 128, "numbers": 32 * 218103808},
                          "caches": {"bits": 8, "group": 0}})
        self.write("index.json", json.dumps({"metadata": {"total_size": 1}}))
        done = self.run_here("import", "config.json", "--check", "index.json", "-o", "n.json")
        self.assertEqual(done.code, 2)
        self.assertIn("--check: an index does not tell the scales", done.stderr)
        for method, place in (({"quant_method": "awq"}, "bits"),
                              ({"quant_method": "awq", "bits": 17}, "17"),
                              ([], "quantization_config as an object")):
            config["quantization_config"] = method
            self.write("config.json", json.dumps(config))
            done = self.run_here("import", "config.json", "-o", "net.json")
            self.assertEqual(done.code, 2)
            self.assertRegex(done.stderr, rf"config.json:1:\d+: .*{place}")

    def test_sizes_of_weights_are_held_against_an_index(self) -> None:
        config = str(CONFIGS / "llama3_8b.json")
        for total, code in ((2 * PUBLISHED["llama3_8b"], 0), (2 * PUBLISHED["llama3_8b"] + 2, 4)):
            self.write("index.json", json.dumps({"metadata": {"total_size": total}}))
            done = self.run_here("import", config, "--check", "index.json", "-q", "-o", "net.json")
            self.assertEqual(done.code, code, done.stderr)
        self.assertIn("16060522498", done.stderr)

    def test_a_config_is_planned_as_the_preset(self) -> None:
        """To the byte, but for names and notes."""
        found = []
        for network in ("llama3_8b", str(CONFIGS / "llama3_8b.json")):
            done = self.run_here("plan", network, "--serve", "--hardware", "wse3", "--report", "-")
            self.assertEqual(done.code, 0, done.stderr)
            report = done.json()
            for key in ("made_by", "wall_s"):
                report.pop(key, None)
            text = json.dumps(report, indent=1).replace("Llama 3 8B", "llama3_8b")
            found.append(text.replace("Meta-Llama-3-8B", "llama3_8b").splitlines())
        self.assertGreater(len(found[0]), 100)
        self.assertEqual(*found)

    def test_heads_of_their_own_size_are_planned(self) -> None:
        for name, matrices in (
                ("qwen3_8b", 36 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 12288)),
                ("gemma2_9b", 42 * (2 * 3584 * 4096 + 2 * 3584 * 2048 + 3 * 3584 * 14336)),
                ("mistral_nemo", 40 * (2 * 5120 * 4096 + 2 * 5120 * 1024 + 3 * 5120 * 14336))):
            with self.subTest(name):
                done = self.run_here("plan", str(CONFIGS / f"{name}.json"), "--serve", "--prompt",
                                     "512", "--output", "64", "--requests", "1", "--hardware",
                                     "wse3", "--report", "-", "-q")
                self.assertEqual(done.code, 0, done.stderr)
                config = json.loads((CONFIGS / f"{name}.json").read_text())
                tied = config.get("tie_word_embeddings", name.startswith("gemma"))
                table = config["vocab_size"] * config["hidden_size"]
                self.assertEqual(done.json()["parameters"], matrices + (1 if tied else 2) * table)

    def test_stages_of_a_cut_keep_all_experts(self) -> None:
        mixtral = str(CONFIGS / "mixtral_8x7b.json")
        self.write("plan.json", json.dumps({"tensor": 4, "data": 2, "pipeline": 8, "micro_batches": 4}))
        run = self.run_here("simulate", mixtral, "--plan", "plan.json", "--report", "-",
                            "--allow-infeasible", "--hardware", "a100_cluster", "-q").json()["plan"]
        self.assertEqual(sum(stage["parameters"] for stage in run["stages"]), 46_702_792_704)
        for stage in run["stages"]:  # in fp16, once in each part of a batch
            self.assertEqual(stage["memory"]["weights_bytes"],
                             2 * run["data"] * stage["parameters"])

    def test_what_a_planner_does_not_know_is_named(self) -> None:
        mixtral = str(CONFIGS / "mixtral_8x7b.json")
        experts = "mixtral_8x7b has experts, which"
        for words, said in (
                (("plan", mixtral, "--serve", "--hardware", "wse3"),
                 f"plan --serve: {experts} serving does not know yet"),
                (("plan", mixtral, "--way", "streaming", "--hardware", "wse3"),
                 f"plan --way streaming: {experts} streaming does not know yet"),
                (("plan", mixtral, "--way", "pipeline", "--hardware", "wse3"),
                 f"plan --way pipeline: {experts} pipelining does not know yet"),
                (("plan", str(CONFIGS / "deepseek_v2_lite.json"), "--serve", "--hardware", "wse3"),
                 "plan --serve: deepseek_v2_lite has latent attention, which serving does not know yet"),
                (("model", "serving", mixtral, "--system", "sn40l_16"),
                 f"model serving: {experts} serving by chips does not know yet")):
            with self.subTest(words):
                done = self.run_here(*words)
                self.assertEqual(done.code, 2, done.stdout[:300])
                self.assertEqual(done.stderr.splitlines()[-1], f"waferloom: error: {said}")

    def test_plans_of_layers_with_windows_are_simulated(self) -> None:
        gemma = str(CONFIGS / "gemma2_9b.json")
        for prompt in ("512", "12288"):  # within the window of 4,096 tokens, and beyond it
            with self.subTest(prompt):
                self.assertEqual(self.run_here(
                    "plan", gemma, "--serve", "--prompt", prompt, "--output", "64", "--requests",
                    "1", "--hardware", "wse3", "-o", "plan.json", "-q").code, 0)
                done = self.run_here("simulate", gemma, "--plan", "plan.json", "--inside",
                                     "--report", "-", "-q")
                self.assertEqual(done.code, 0, done.stderr)
                run = done.json()
                self.assertLess(abs(run["simulated"]["tpot_s"] / run["planned"]["tpot_s"] - 1),
                                0.02)

    def test_more_tokens_than_learned_positions_are_warned_of(self) -> None:
        config = json.loads((CONFIGS / "gpt2.json").read_text())
        small = {"n_embd": 64, "n_head": 4, "n_layer": 2, "vocab_size": 1000}
        self.write("config.json", json.dumps({**config, **small}))
        for output, warned in (("24", False), ("25", True)):
            done = self.run_here("plan", "config.json", "--serve", "--prompt", "1000", "--output",
                                 output, "--hardware", "grayskull", "--report", "-")
            self.assertEqual(done.code, 0, done.stderr)
            self.assertEqual("1024 positions, fewer than the 1025 tokens" in done.stderr, warned)

    def test_other_families_and_files(self) -> None:
        text = '{\n "a": 1,\n "b": 2,\n "c": 3,\n "d": 4,\n "e": 5,\n "model_type": "mamba2"}'
        self.assertIn("config.json:7:16: model_type 'mamba2' is none of llama, mistral",
                      self.refused(text))
        self.assertIn("encoder-decoder", self.refused('{"model_type": "t5"}'))
        self.assertIn("encoder-decoder",
                      self.refused('{"model_type": "mine", "is_encoder_decoder": true}'))
        for text in ("", "[]", "{", '{"model_type": 3}', '{"model_type": "llama"}', "\x08\x01",
                     '{"model_type": "llama", "text_config": []}'):
            with self.subTest(text):
                self.assertIn("config.json", self.refused(text))
        (self.folder / "folder").mkdir()
        self.assertEqual(self.run_here("import", "folder").code, 2)

    def test_impossible_values_are_told_with_their_place(self) -> None:
        config = json.loads((CONFIGS / "deepseek_v3.json").read_text())
        for key, value in (("hidden_size", 10**18), ("hidden_size", "wide"), ("hidden_size", -1),
                           ("num_hidden_layers", 10**9), ("num_experts_per_tok", 1000),
                           ("num_attention_heads", 0), ("n_shared_experts", [1]),
                           ("vocab_size", None), ("v_head_dim", 1.5)):
            with self.subTest(key, value=value):
                line = self.refused(json.dumps({**config, key: value}, indent=1))
                self.assertRegex(line, r"config\.json:\d+:\d+: ")
        config = json.loads((CONFIGS / "gpt2.json").read_text())
        line = self.refused(json.dumps(config), "--sequence", "2048")
        self.assertIn("1024 positions, found 2048", line)


KEYS = {"experts": {"count": 4, "active": 2, "feed_forward": 256},
        "latent": {"key_value_rank": 64, "rope_size": 32, "value_size": 64}}
COMMANDS = {
    "plan --way cut": "plan net.json --way cut --hardware a100_cluster --inference --batch 8 "
                      "--top 1 -o p.json",
    "plan --serve": "plan net.json --serve --prompt 96 --output 32 --hardware grayskull",
    "plan --way streaming": "plan net.json --way streaming --inference --hardware grayskull",
    "plan --way pipeline": "plan net.json --way pipeline --hardware grayskull",
    "plan --way chips": "plan net.json --way chips --hardware sn10_8x1 --inference --batch 8",
    "model amped": "model amped net.json --batch 1024 --explore",
    "model centimani": "model centimani net.json",
    "model dfmodel": "model dfmodel net.json",
    "model serving": "model serving net.json --system sn40l_16 --prompt 96 --context 96"}


class KnownKeysTest(ProgramTest):
    """The table of docs/workloads.md: who knows which key."""

    def network(self, key: str) -> dict:
        layer, ends = dict(TINY_LAYER), dict(TINY_ENDS)
        if key in KEYS:
            layer[key] = KEYS[key]
        if key == "projection":
            ends["projection"] = 64
        first = {"name": "first", "kind": "embedding", **ends}
        if key == "patches":
            first = {"name": "first", "kind": "patches", "image": [176, 184], "patch": 16,
                     "hidden": 256, "class_token": False, "positions": 0}
            layer["sequence"] = 121
            ends["sequence"] = 1
        if key == "kernels":
            return {"name": "net", "operators": [
                {"name": "a", "kind": "gemm", "m": 64, "k": 32, "n": 16},
                {"name": "b", "kind": "element", "elements": 1024},
                {"name": "c", "kind": "reduce", "elements": 1024}]}
        kept = {key: {"bits": 4, "group": 32}} if key in ("weights", "caches") else {}
        return {"name": "net", **kept, "operators": [
            first, layer, {"name": "head", "kind": "head", **ends}]}

    def test_the_table(self) -> None:
        page = (SOURCES / "docs" / "workloads.md").read_text()
        rows = [[cell.strip() for cell in line.strip("|").split("|")]
                for line in page.splitlines() if re.match(r"\| (command|`(plan|model) )", line)]
        keys = rows[0][1:]
        self.assertEqual(keys, ["experts", "latent", "projection", "patches", "weights", "caches",
                                "kernels"])
        self.assertEqual([row[0].strip("`") for row in rows[1:]], list(COMMANDS))
        for name, *cells in rows[1:]:
            for key, cell in zip(keys, cells):
                with self.subTest(name, key=key):
                    self.write("net.json", json.dumps(self.network(key)))
                    done = self.run_here(*COMMANDS[name.strip("`")].split(), "--report", "-", "-q")
                    if cell == "yes":
                        self.assertEqual(done.code, 0, done.stderr)
                    else:
                        self.assertEqual((cell, done.code), ("no", 2), done.stderr)
                        self.assertRegex(done.stdout, "net has .*, which .* does not know yet")

    def test_training_refuses_narrow_weights(self) -> None:
        self.write("net.json", json.dumps(self.network("weights")))
        for command in ("plan net.json --way cut --hardware a100_cluster --batch 8 -o p.json",
                        "plan net.json --way streaming --hardware wse2 -o p.json"):
            with self.subTest(command):
                done = self.run_here(*command.split(), "-q")
                self.assertEqual(done.code, 2, done.stderr)
                self.assertIn("net has weights of 4 bits, which training does not know yet",
                              done.stderr)


if __name__ == "__main__":
    unittest.main()
