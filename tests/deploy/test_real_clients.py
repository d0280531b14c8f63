"""HTTP clients of this machine, as they come, post a question to the service: no header of theirs is set by hand."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.server import Server
from tests.service.test_http import FOUR_HANDS

JAVA = """
import java.io.*; import java.net.*; import java.nio.file.*;
class Post {
  public static void main(String[] args) throws Exception {
    HttpURLConnection call = (HttpURLConnection) new URL(args[0]).openConnection();
    call.setDoOutput(true);
    call.setRequestProperty("Content-Type", "application/json");
    if (args.length > 2) call.setRequestProperty("Accept", args[2]);
    call.getOutputStream().write(Files.readAllBytes(Path.of(args[1])));
    call.getInputStream().transferTo(System.out);
  }
}
"""
PERL = """
use HTTP::Tiny; open my $file, '<', $ARGV[1]; local $/;
my $answer = HTTP::Tiny->new->post($ARGV[0], {content => <$file>, headers => {'content-type' => 'application/json'}});
die $answer->{content} unless $answer->{success}; print $answer->{content};
"""
NODE = """
import {readFileSync} from "node:fs";
const [url, file] = process.argv.slice(1);
const headers = {"Content-Type": "application/json"};
const answer = await fetch(url, {method: "POST", body: readFileSync(file), headers});
if (!answer.ok) throw new Error(await answer.text());
process.stdout.write(await answer.text());
"""
OLD_JAVA = "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"  # of JDK 8 to 17.0.3
JSON = "Content-Type: application/json"


@pytest.fixture
def commands(server: Server, tmp_path: Path) -> dict[str, list[str | Path]]:
    """By client, the command with which it posts a call to the running service."""
    url, body = f"http://127.0.0.1:{server.port}/legal-moves", tmp_path / "body.json"
    body.write_text(json.dumps(FOUR_HANDS), encoding="utf-8")
    java = tmp_path / "Post.java"
    java.write_text(JAVA, encoding="utf-8")
    return {
        "java": ["java", java, url, body],
        "old java": ["java", java, url, body, OLD_JAVA],
        "perl": ["perl", "-e", PERL, url, body],
        "node": ["node", "--input-type=module", "--eval", NODE, url, body],
        "curl": ["curl", "--fail", "-sS", "-H", JSON, "--data", f"@{body}", url],
        "wget": ["wget", "-qO-", f"--header={JSON}", f"--post-file={body}", url],
    }


@pytest.mark.parametrize("name", ["java", "old java", "perl", "node", "curl", "wget"])
def test_an_http_client_with_its_default_headers_gets_json(commands: dict[str, list[str | Path]], name: str) -> None:
    command = commands[name]
    if shutil.which(str(command[0])) is None:
        pytest.skip(f"{command[0]} is not on this machine")
    answer = subprocess.run(command, capture_output=True, check=True, timeout=120)
    assert json.loads(answer.stdout)["complete"] is True
