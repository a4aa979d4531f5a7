"""Kinds of files by name, for grep's ``type``: ripgrep's names (``rg --type-list``) for the common languages.

Names that begin with a dot are missing on purpose: the walk does not come by them.
"""

from collections.abc import Mapping

__all__ = ["FILE_TYPES"]

FILE_TYPES: Mapping[str, str] = {
    "c": "*.{c,h,H}",
    "cmake": "{*.cmake,CMakeLists.txt}",
    "cpp": "*.{C,cc,cpp,cxx,h,H,hh,hpp,hxx,inl}",
    "cs": "*.cs",
    "css": "*.{css,scss}",
    "csv": "*.csv",
    "docker": "*Dockerfile*",
    "go": "*.go",
    "html": "*.{ejs,htm,html}",
    "java": "*.{java,jsp,jspx,properties}",
    "jl": "*.jl",
    "js": "*.{cjs,js,jsx,mjs,vue}",
    "json": "{*.json,composer.lock}",
    "jupyter": "*.{ipynb,jpynb}",
    "kotlin": "*.{kt,kts}",
    "lua": "*.lua",
    "make": "{*.mak,*.mk,[Mm]akefile,[Mm]akefile.{am,in},GNUmakefile}",
    "markdown": "*.{markdown,md,mdown,mkdn}",
    "md": "*.{markdown,md,mdown,mkdn}",
    "perl": "*.{perl,pl,PL,pm,t}",
    "php": "*.{php,phtml}",
    "protobuf": "*.proto",
    "ps": "*.{ps1,psd1,psm1}",
    "py": "*.{py,pyi}",
    "r": "*.{R,r,Rmd,Rnw}",
    "rst": "*.rst",
    "ruby": "{*.{gemspec,rb,rbw},config.ru,Gemfile,Rakefile}",
    "rust": "*.rs",
    "scala": "*.{sbt,scala}",
    "sh": "*.{bash,csh,ksh,sh,tcsh,zsh}",
    "sql": "*.{psql,sql}",
    "svg": "*.svg",
    "swift": "*.swift",
    "tex": "*.{bib,cls,ltx,sty,tex}",
    "toml": "{*.toml,Cargo.lock}",
    "ts": "*.{cts,mts,ts,tsx}",
    "txt": "*.txt",
    "xml": "*.{dtd,rng,xhtml,xml,xsd,xsl,xslt}",
    "yaml": "*.{yaml,yml}",
}
"""The glob of each type."""
