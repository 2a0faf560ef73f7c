// Tink for Go as a peer of check.mjs. Reads a request on each line of standard input, a JSON object with an operation, and answers on
// a line with {"ok": text} or {"error": text}. Bytes are hex; keysets are JSON in the clear.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"

	"github.com/tink-crypto/tink-go/v2/aead"
	_ "github.com/tink-crypto/tink-go/v2/aead/aesgcmsiv"
	_ "github.com/tink-crypto/tink-go/v2/aead/xaesgcm"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf"
	tinkpb "github.com/tink-crypto/tink-go/v2/proto/tink_go_proto"
	"github.com/tink-crypto/tink-go/v2/tink"
)

type request struct {
	Operation, Text, Hex, Keyset, Kek, Plaintext, Sealed, Aad, Template, Input string
	Length                                                                     uint32
}

type answer struct {
	Ok    *string `json:"ok,omitempty"`
	Error string  `json:"error,omitempty"`
}

var templates = map[string]func() *tinkpb.KeyTemplate{
	"AES128_GCM":                 aead.AES128GCMKeyTemplate,
	"AES256_GCM":                 aead.AES256GCMKeyTemplate,
	"AES256_GCM_RAW":             aead.AES256GCMNoPrefixKeyTemplate,
	"AES256_GCM_SIV":             aead.AES256GCMSIVKeyTemplate,
	"AES128_GCM_SIV":             aead.AES128GCMSIVKeyTemplate,
	"XAES_256_GCM_192_BIT_NONCE": aead.XAES256GCM192BitNonceKeyTemplate,
}

func read(text string) (*keyset.Handle, error) {
	return insecurecleartextkeyset.Read(keyset.NewJSONReader(bytes.NewReader([]byte(text))))
}

func cipher(text string) (tink.AEAD, error) {
	handle, err := read(text)
	if err != nil {
		return nil, err
	}
	return aead.New(handle)
}

func textOf(handle *keyset.Handle, err error) (string, error) {
	if err != nil {
		return "", err
	}
	out := &bytes.Buffer{}
	err = insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(out))
	return out.String(), err
}

func run(r request) (string, error) {
	bytesOf := func(text string) []byte {
		decoded, err := hex.DecodeString(text)
		if err != nil {
			panic(err)
		}
		return decoded
	}
	hexOf := func(data []byte, err error) (string, error) { return hex.EncodeToString(data), err }
	switch r.Operation {
	case "read":
		handle, err := read(r.Text)
		if r.Text == "" {
			handle, err = insecurecleartextkeyset.Read(keyset.NewBinaryReader(bytes.NewReader(bytesOf(r.Hex))))
		}
		if err != nil {
			return "", err
		}
		primitive, err := aead.New(handle)
		if err != nil {
			return "", err
		}
		_, err = primitive.Encrypt(nil, nil)
		return "", err
	case "seal", "open":
		primitive, err := cipher(r.Keyset)
		if err != nil {
			return "", err
		}
		if r.Operation == "seal" {
			return hexOf(primitive.Encrypt(bytesOf(r.Plaintext), bytesOf(r.Aad)))
		}
		return hexOf(primitive.Decrypt(bytesOf(r.Sealed), bytesOf(r.Aad)))
	case "export":
		return textOf(read(r.Keyset))
	case "generate":
		return textOf(keyset.NewHandle(templates[r.Template]()))
	case "wrap":
		handle, err := read(r.Keyset)
		if err != nil {
			return "", err
		}
		kek, err := cipher(r.Kek)
		if err != nil {
			return "", err
		}
		out := &bytes.Buffer{}
		err = handle.WriteWithAssociatedData(keyset.NewJSONWriter(out), kek, bytesOf(r.Aad))
		return out.String(), err
	case "unwrap":
		kek, err := cipher(r.Kek)
		if err != nil {
			return "", err
		}
		reader := keyset.NewJSONReader(bytes.NewReader([]byte(r.Text)))
		return textOf(keyset.ReadWithAssociatedData(reader, kek, bytesOf(r.Aad)))
	case "prf":
		handle, err := read(r.Keyset)
		if err != nil {
			return "", err
		}
		set, err := prf.NewPRFSet(handle)
		if err != nil {
			return "", err
		}
		return hexOf(set.ComputePrimaryPRF(bytesOf(r.Input), r.Length))
	}
	return "", fmt.Errorf("no operation %q", r.Operation)
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			panic(err)
		}
		ok, err := run(r)
		if err != nil {
			out.Encode(answer{Error: err.Error()})
		} else {
			out.Encode(answer{Ok: &ok})
		}
	}
}
