#!/bin/sh
# Indexes what kb.config.yaml lists and measures it. If the golden set finds less than before the gate, the previous state comes back and the job fails.
# Run it in the folder of the configuration, on every merge.
set -eu
export KB_CONFIG="${KB_CONFIG:-kb.config.yaml}"

before=''
if kb collections show handbook --quiet >/dev/null 2>&1; then
  before="before-$(date -u +%Y%m%d-%H%M%S)"
  kb snapshot create "$before" --keep 3 --quiet
fi

kb ingest --prune --quiet

if ! kb eval golden.jsonl --min-recall 0.9 --min-right 0.6 --report eval.md; then
  if [ -n "$before" ]; then
    kb snapshot restore "$before" --yes --quiet
    echo 'The gate was missed: the state before this run is back.' >&2
  fi
  exit 1
fi
