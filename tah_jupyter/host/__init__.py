"""The machine made safe: workspace files, processes, HTTP, redaction. Nothing here knows a tool, a model or a front
end.
"""
