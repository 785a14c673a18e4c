"""What the product is made of: crates by Cargo.lock and `cargo metadata`, packages by web/package-lock.json. For scripts/check-dependencies and
scripts/sbom, which import it.
"""

import json
import os
import subprocess
import tomllib
from pathlib import Path

os.chdir(Path(__file__).resolve().parent.parent)


def rules():
    """deny.toml, in the form of cargo-deny, which can read it, too."""
    return tomllib.loads(Path("deny.toml").read_text())


class Crates:
    """The crates of one platform, and which needs which: those of the server, or of another workspace."""

    def __init__(self, target, manifest="Cargo.toml"):
        command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target, "--manifest-path", manifest]
        metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        self.by_id = {package["id"]: package for package in metadata["packages"]}
        self.own = set(metadata["workspace_members"])
        self._needs = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}

    def needs(self, crate, kinds):
        """The ids of what a crate needs; of the kinds None (to run), "build" and "dev" (to test)."""
        wanted = [dep["pkg"] for dep in self._needs[crate] if any(kind["kind"] in kinds for kind in dep["dep_kinds"])]
        return sorted(set(wanted))

    def reachable(self, roots, kinds):
        """What these crates are built from, themselves included. Only the roots are built with what their tests need."""
        found, waiting = set(), [(root, kinds) for root in roots]
        while waiting:
            crate, kinds_here = waiting.pop()
            if crate not in found:
                found.add(crate)
                inner = [kind for kind in kinds_here if kind != "dev"]
                waiting += [(other, kinds if other in self.own else inner) for other in self.needs(crate, kinds_here)]
        return found


def checksums():
    """The SHA-256 of each crate of the registry, by name and version."""
    locked = tomllib.loads(Path("Cargo.lock").read_text())["package"]
    return {(crate["name"], crate["version"]): crate["checksum"] for crate in locked if "checksum" in crate}


def packages():
    """Every entry of web/package-lock.json by its place, without the app itself."""
    entries = json.loads(Path("web/package-lock.json").read_text())["packages"]
    return {place: entry for place, entry in entries.items() if place}


def package_name(place):
    return place.rpartition("node_modules/")[2]


def shipped_packages():
    """What browsers get, by its place: all but the tools that build and test the app."""
    return {place: entry for place, entry in packages().items() if not entry.get("dev") and not entry.get("devOptional")}
