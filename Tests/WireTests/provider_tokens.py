"""Provider tokens (JWTs) for APNs, made by hand so that any one field can be wrong."""

import base64
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

ABSENT = object()
"""As the value of a field: leave the field out."""


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _fields(defaults: dict, changes: dict) -> dict:
    return {name: value for name, value in (defaults | changes).items() if value is not ABSENT}


@dataclass(frozen=True)
class ProviderKey:
    """A provider's signing key as a backend holds it: the .p8 file, its key id and its team."""

    p8: Path
    key_id: str
    team_id: str

    @property
    def private(self) -> ec.EllipticCurvePrivateKey:
        return serialization.load_pem_private_key(self.p8.read_bytes(), password=None)

    @property
    def public_pem(self) -> bytes:
        return self.private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )

    @classmethod
    def make(cls, path: Path, key_id: str, team_id: str, curve: ec.EllipticCurve | None = None) -> "ProviderKey":
        private = ec.generate_private_key(curve or ec.SECP256R1())
        path.write_bytes(
            private.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        path.chmod(0o600)
        return cls(path, key_id, team_id)

    def token(
        self,
        header: dict | None = None,
        claims: dict | None = None,
        form: str = "raw",
        spacing: tuple[str, str] = (",", ":"),
        hash_algorithm: hashes.HashAlgorithm | None = None,
    ) -> str:
        """A token for now. `header` and `claims` override fields (ABSENT removes one); `form` is raw or der."""
        head = _fields({"alg": "ES256", "kid": self.key_id}, header or {})
        body = _fields({"iss": self.team_id, "iat": int(time.time())}, claims or {})
        return self.sign_text(
            json.dumps(head, separators=spacing), json.dumps(body, separators=spacing), form, hash_algorithm
        )

    def sign_text(
        self, header: str, claims: str, form: str = "raw", hash_algorithm: hashes.HashAlgorithm | None = None
    ) -> str:
        """Signs header and claims as they stand, JSON or not."""
        signed = f"{base64url(header.encode())}.{base64url(claims.encode())}"
        private = self.private
        der = private.sign(signed.encode(), ec.ECDSA(hash_algorithm or hashes.SHA256()))
        if form == "der":
            return f"{signed}.{base64url(der)}"
        size = (private.curve.key_size + 7) // 8
        r, s = decode_dss_signature(der)
        return f"{signed}.{base64url(r.to_bytes(size, 'big') + s.to_bytes(size, 'big'))}"

    def a2_token(self) -> str:
        """As a2 signs (src/signer.rs, 0.5 to 0.10): standard base64 with padding in all three parts, and DER."""
        parts = [
            json.dumps({"alg": "ES256", "kid": self.key_id}, separators=(",", ":")),
            json.dumps({"iss": self.team_id, "iat": int(time.time())}, separators=(",", ":")),
        ]
        signed = ".".join(base64.b64encode(part.encode()).decode() for part in parts)
        return signed + "." + base64.b64encode(self.private.sign(signed.encode(), ec.ECDSA(hashes.SHA256()))).decode()

    def unsigned_token(self) -> str:
        """`alg: none` with an empty signature, the classic forgery."""
        header = base64url(json.dumps({"alg": "none", "kid": self.key_id}).encode())
        claims = base64url(json.dumps({"iss": self.team_id, "iat": int(time.time())}).encode())
        return f"{header}.{claims}."

    def hmac_token(self) -> str:
        """HS256 with the public key as the secret, the other classic forgery."""
        header = base64url(json.dumps({"alg": "HS256", "kid": self.key_id}).encode())
        claims = base64url(json.dumps({"iss": self.team_id, "iat": int(time.time())}).encode())
        signature = hmac.new(self.public_pem, f"{header}.{claims}".encode(), hashlib.sha256).digest()
        return f"{header}.{claims}.{base64url(signature)}"


def with_part(token: str, index: int, part: str) -> str:
    """The token with one of its three parts replaced."""
    parts = token.split(".")
    parts[index] = part
    return ".".join(parts)


def with_character_changed(token: str, index: int, offset: int) -> str:
    """The token with one base64 character of one part replaced by another."""
    part = token.split(".")[index]
    changed = "A" if part[offset] != "A" else "B"
    return with_part(token, index, part[:offset] + changed + part[offset + 1 :])
