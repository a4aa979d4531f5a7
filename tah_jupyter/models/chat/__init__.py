"""OpenAI's chat completions on the wire: the request's bytes, the stream's pieces, errors and retries."""
