// Tink for Go as a peer of checks/hybrid/exchange.mjs, as peer.py there is for Python: a request on each line of standard input, an answer
// on each line of standard output.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/tink-crypto/tink-go/v2/hybrid"
	"github.com/tink-crypto/tink-go/v2/hybrid/hpke"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
)

type request struct {
	Operation, Template, Keyset, Plaintext, Sealed, Context string
}

func private(text string) (*keyset.Handle, error) {
	return insecurecleartextkeyset.Read(keyset.NewJSONReader(strings.NewReader(text)))
}

// A new keyset of one of the templates that Tink for Python has.
func generate(template string) (string, error) {
	kem, aead, variant := hpke.DHKEM_X25519_HKDF_SHA256, hpke.AES256GCM, hpke.VariantTink
	if strings.HasPrefix(template, "X_WING") {
		kem = hpke.X_WING
	}
	if strings.Contains(template, "AES_128") {
		aead = hpke.AES128GCM
	}
	if strings.HasSuffix(template, "_RAW") {
		variant = hpke.VariantNoPrefix
	}
	parameters, err := hpke.NewParameters(hpke.ParametersOpts{KEMID: kem, KDFID: hpke.HKDFSHA256, AEADID: aead, Variant: variant})
	if err != nil {
		return "", err
	}
	manager := keyset.NewManager()
	id, err := manager.AddNewKeyFromParameters(parameters)
	if err != nil {
		return "", err
	}
	if err := manager.SetPrimary(id); err != nil {
		return "", err
	}
	handle, err := manager.Handle()
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = insecurecleartextkeyset.Write(handle, keyset.NewJSONWriter(&text))
	return text.String(), err
}

func public(text string) (string, error) {
	handle, err := private(text)
	if err != nil {
		return "", err
	}
	if handle, err = handle.Public(); err != nil {
		return "", err
	}
	var written bytes.Buffer
	err = handle.WriteWithNoSecrets(keyset.NewJSONWriter(&written))
	return written.String(), err
}

func seal(text string, plaintext, context []byte) ([]byte, error) {
	handle, err := keyset.ReadWithNoSecrets(keyset.NewJSONReader(strings.NewReader(text)))
	if err != nil {
		return nil, err
	}
	primitive, err := hybrid.NewHybridEncrypt(handle)
	if err != nil {
		return nil, err
	}
	return primitive.Encrypt(plaintext, context)
}

func open(text string, sealed, context []byte) ([]byte, error) {
	handle, err := private(text)
	if err != nil {
		return nil, err
	}
	primitive, err := hybrid.NewHybridDecrypt(handle)
	if err != nil {
		return nil, err
	}
	return primitive.Decrypt(sealed, context)
}

func answer(line []byte) (string, error) {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return "", err
	}
	var parts [3][]byte
	for i, text := range []string{r.Plaintext, r.Sealed, r.Context} {
		part, err := hex.DecodeString(text)
		if err != nil {
			return "", err
		}
		parts[i] = part
	}
	var result []byte
	var err error
	switch r.Operation {
	case "generate":
		return generate(r.Template)
	case "public":
		return public(r.Keyset)
	case "seal":
		result, err = seal(r.Keyset, parts[0], parts[2])
	case "open":
		result, err = open(r.Keyset, parts[1], parts[2])
	default:
		err = fmt.Errorf("no operation %q", r.Operation)
	}
	return hex.EncodeToString(result), err
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		result, err := answer(lines.Bytes())
		said := map[string]string{"ok": result}
		if err != nil {
			said = map[string]string{"error": err.Error()}
		}
		if err := answers.Encode(said); err != nil {
			os.Exit(1)
		}
	}
}
