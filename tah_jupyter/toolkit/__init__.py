"""What a tool is, where tools are kept, how a model is told of them, and the one pipeline every call goes through."""
