#!/usr/bin/env node
import { run } from "./command/run.ts";

void run(process.argv.slice(2));
