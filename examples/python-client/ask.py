"""Asks a knowledge base one question over HTTP: python ask.py "How long is the warranty?"."""

import os
import sys

from kb_client import AuthenticatedClient, Client
from kb_client.api.ask import chat
from kb_client.models import ChatRequest, ChatResult

url = os.environ.get("KB_URL", "http://127.0.0.1:8000")
token = os.environ.get("KB_TOKEN")
client = AuthenticatedClient(url, token) if token else Client(url)

result = chat.sync(client=client, body=ChatRequest(query=sys.argv[1]))
if not isinstance(result, ChatResult):
    sys.exit(result.error.message if result else "The server gave an answer that its document does not describe.")

print(result.answer)
for source in result.sources:
    if source.cited:
        print(f"[{source.citation}] {source.title}: {source.metadata.to_dict()['source']}")
