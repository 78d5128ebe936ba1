// Package backend tests a push client with Pushpit, a local APNs with virtual iPhones: go test pushpit_test.go
// It needs Go 1.19 or later, no modules, and the program: pushpit on the PATH, or the one that PUSHPIT_BINARY names.
package backend

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestMatch(t *testing.T) {
	phone := admin(t, "POST", "/v1/sessions", `{"name": "goal", "claim": {}, "expect": [
		{"pushes": {"event": "update"}, "all": {"outcome": "updated"}}, {"pushes": {"status": 429}, "count": 1},
		{"screens": {}, "show": {"card": {"state": "ended", "contentState": {"score": 2}}, "notifications": 1}}]}`).Devices[0]
	push(t, "200", phone, "pushToStart", `{"aps": {"timestamp": %d, "event": "start", "content-state": {"score": 0},
		"attributes-type": "MatchAttributes", "attributes": {"home": "Lions"}, "alert": {"title": "Kick-off"}}}`, now-2)
	change := `{"aps": {"timestamp": %d, "event": %q, "content-state": {"score": %d}}}`
	push(t, "200", phone, "update", change, now-1, "update", 1)
	push(t, "200", phone, "update", change, now, "end", 2) // a phone drops what is not newer than the last update
	admin(t, "POST", "/v1/faults", `{"name": "busy", "session": "goal", "limit": 1, "then": {"answer": "TooManyRequests"}}`)
	push(t, "429 TooManyRequests", phone, "device", `{"aps": {"alert": "Full time"}}`)
	push(t, "200", phone, "device", `{"aps": {"alert": "Full time"}}`)
	admin(t, "POST", "/v1/sessions/goal/close", "{}") // Pushpit judges what the session expects
	admin(t, "POST", "/v1/devices/"+phone+"/actions", `{"do": "uninstall"}`)
	push(t, "200", phone, "device", `{"aps": {"alert": "News"}}`) // by this push, APNs notices that the app is gone
	push(t, "410 Unregistered", phone, "device", `{"aps": {"alert": "News"}}`)
}

// push sends to the phone's token of that kind, which its app would have reported to the backend.
func push(t *testing.T, want, phone, kind, payload string, values ...any) {
	t.Helper()
	pushType := map[string]string{"device": "alert", "pushToStart": "liveactivity", "update": "liveactivity"}[kind]
	tokens := admin(t, "GET", "/v1/tokens?environment=sandbox&device="+phone+"&kind="+kind, "").Tokens
	if got := apns.send(tokens[0].Token, pushType, fmt.Sprintf(payload, values...)); got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// client is a push client, in place of yours. A real one makes a new JWT every 20 to 60 minutes.
type client struct {
	http.Client
	url, jwt string
}

func (apns *client) send(token, pushType, payload string) string {
	request := must(http.NewRequest("POST", apns.url+"/3/device/"+token, strings.NewReader(payload)))
	topic := map[string]string{"alert": "com.example.app", "liveactivity": "com.example.app.push-type.liveactivity"}
	request.Header = http.Header{"Authorization": {"bearer " + apns.jwt}, "Apns-Topic": {topic[pushType]},
		"Apns-Push-Type": {pushType}, "Apns-Priority": {"10"}, "Apns-Expiration": {fmt.Sprint(now + 3600)}}
	response := must(apns.Do(request))
	defer response.Body.Close()
	var refusal struct{ Reason string }
	_ = json.NewDecoder(response.Body).Decode(&refusal) // a 200 has no body
	return strings.TrimSpace(fmt.Sprint(response.StatusCode, " ", refusal.Reason))
}

// The shell ends the server when its input is closed: when the tests are over, or their process has died.
const serve = `trap : INT; dir=$(mktemp -d); "${PUSHPIT_BINARY:-pushpit}" serve --for-tests --ports 0 --state "$dir" \
	--set lives.uninstallNotice=0s 2>"$dir/log" & exec >&-; read _; kill $!; wait $! || cat "$dir/log" >&2; rm -r "$dir"`

var apns, ready, now = client{}, answer{}, time.Now().Unix()

func TestMain(m *testing.M) {
	server := exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", serve}, Stderr: os.Stderr}
	input, output := must(server.StdinPipe()), must(server.StdoutPipe())
	must(input, server.Start())
	defer input.Close()
	must(input, json.NewDecoder(output).Decode(&ready))
	authority, key, encode := x509.NewCertPool(), ready.Keys[0], base64.RawURLEncoding.EncodeToString
	authority.AppendCertsFromPEM(must(os.ReadFile(ready.CA)))
	block, _ := pem.Decode(must(os.ReadFile(key.P8)))
	jwt := encode([]byte(`{"alg":"ES256","kid":"`+key.KeyID+`"}`)) + "." +
		encode([]byte(fmt.Sprintf(`{"iss":"%s","iat":%d}`, key.TeamID, now)))
	hash := sha256.Sum256([]byte(jwt))
	r, s, err := ecdsa.Sign(rand.Reader, must(x509.ParsePKCS8PrivateKey(block.Bytes)).(*ecdsa.PrivateKey), hash[:])
	signature := append(must(r, err).FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	transport := &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: authority}}
	apns = client{http.Client{Transport: transport}, "https://" + ready.Listeners.Sandbox, jwt + "." + encode(signature)}
	m.Run()
}

type answer struct { // of the ready line, and of answers of the admin API
	Admin, CA                   string
	Listeners                   struct{ Sandbox string }
	Keys                        []struct{ KeyID, TeamID, P8 string }
	Devices                     []string
	Tokens                      []struct{ Token string }
	Error, Passed, Expectations any
}

// admin calls Pushpit's admin API. An error, or an expectation that is not true, fails the test.
func admin(t *testing.T, method, path, body string) (found answer) {
	t.Helper()
	request := must(http.NewRequest(method, ready.Admin+path, strings.NewReader(body)))
	request.Header.Set("content-type", "application/json")
	must(0, json.NewDecoder(must(http.DefaultClient.Do(request)).Body).Decode(&found))
	if found.Error != nil || found.Passed == false {
		t.Fatalf("%s %s: %v %v", method, path, found.Error, found.Expectations)
	}
	return found
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
