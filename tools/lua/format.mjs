// Lua formatter: puts the files that it is given in order, or with --check names those that are not.
import { readFileSync, writeFileSync } from "node:fs";
import { Config, IndentType, LuaVersion, OutputVerification, formatCode } from "@johnnymorganz/stylua";

const paths = process.argv.slice(2).filter((argument) => argument !== "--check");
const checks = process.argv.includes("--check");
const wrong = [];
for (const path of paths) {
  const config = Config.new();
  config.column_width = 120;
  config.indent_type = IndentType.Spaces;
  config.indent_width = 2;
  config.syntax = LuaVersion.Lua51;
  const text = readFileSync(path, "utf8");
  const formatted = formatCode(text, config, undefined, OutputVerification.Full);
  if (formatted === text) continue;
  wrong.push(path);
  if (!checks) writeFileSync(path, formatted);
}
if (wrong.length) console.log(`${checks ? "Not in order" : "Put in order"}: ${wrong.join(", ")}`);
process.exit(checks && wrong.length ? 1 : 0);
