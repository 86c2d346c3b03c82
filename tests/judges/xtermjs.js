// SPDX-License-Identifier: GPL-3.0-only
// The same as inside.py for a terminal that is a library: xtermjs.js PACKAGE STREAMS RESULTS WATCHED RESET
"use strict";
const fs = require("fs");
const [package_, streams, results, watched, reset] = process.argv.slice(2);
const { Terminal } = require(package_);

const PIECES = [1, 7, 61, 4096];
const terminal = new Terminal({
  cols: 80, rows: 24, allowProposedApi: true,
  windowOptions: new Proxy({}, { get: () => true }),
});
let got = "";
terminal.onData((data) => { got += data; });
terminal.onBinary((data) => { got += data; });

const write = (bytes) => new Promise((done) => terminal.write(bytes, done));
const state = () => ({ size: [terminal.rows, terminal.cols, 0, 0], window: [],
                       files: fs.readdirSync(watched) });

async function main() {
  const result = { replies: [], sizes: [], late: "", before: state() };
  const lines = fs.readFileSync(streams, "ascii").split("\n").slice(0, -1);
  for (const [i, line] of lines.entries()) {
    const bytes = Buffer.from(line, "hex");
    const piece = PIECES[i % PIECES.length];
    for (let at = 0; at < bytes.length; at += piece)
      await write(bytes.subarray(at, at + piece));
    await write("\x1b[6n");
    if (reset)
      await write(Buffer.from(reset, "hex"));
    result.replies.push(Buffer.from(got).toString("hex"));
    result.sizes.push(state().size);
    got = "";
  }
  await new Promise((done) => setTimeout(done, 1000));
  result.late = Buffer.from(got).toString("hex");
  result.after = state();
  fs.writeFileSync(results + ".part", JSON.stringify(result));
  fs.renameSync(results + ".part", results);
}

main();
