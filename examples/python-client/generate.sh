#!/bin/sh
# Generates the Python package kb_client from the OpenAPI document of a running kb serve, into this folder.
# Needs Python 3.11 or newer with venv and pip, and curl. KB_URL and KB_TOKEN name the server.
set -eu

python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt

document=$(mktemp)
trap 'rm -f "$document"' EXIT
curl --silent --show-error --fail --header "Authorization: Bearer ${KB_TOKEN:-}" "${KB_URL:-http://127.0.0.1:8000}/v1/openapi.json" > "$document"

export PATH="$PWD/.venv/bin:$PATH" # ruff, which formats what is generated
openapi-python-client generate --path "$document" --meta none --output-path kb_client --overwrite --fail-on-warning
