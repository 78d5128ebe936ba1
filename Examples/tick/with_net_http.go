// A backend with net/http that reminds drivers of the end of their parking time: docs/tick.md.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"
)

const reminder = 225 * time.Minute

type reminders struct {
	at    time.Time
	token string
}

var (
	mutex sync.Mutex
	due   []reminders
	told  time.Time // zero unless a story tells the time
)

// Callers hold the mutex.
func now() time.Time {
	if told.IsZero() {
		return time.Now()
	}
	return told
}

func tick(w http.ResponseWriter, r *http.Request) {
	var body struct{ Now float64 }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	mutex.Lock()
	defer mutex.Unlock()
	told = time.UnixMicro(int64(body.Now * 1e6))
	runDue()
	w.WriteHeader(http.StatusNoContent)
}

func parked(w http.ResponseWriter, r *http.Request) {
	var body struct{ Token string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	mutex.Lock()
	defer mutex.Unlock()
	due = append(due, reminders{now().Add(reminder), body.Token})
	w.WriteHeader(http.StatusNoContent)
}

// Callers hold the mutex.
func runDue() {
	for len(due) > 0 && !due[0].at.After(now()) {
		push(due[0].token, "Your parking ends in 15 minutes")
		due = due[1:]
	}
}

func everySecond() {
	for range time.Tick(time.Second) {
		mutex.Lock()
		runDue()
		mutex.Unlock()
	}
}

func main() {
	connect()
	http.HandleFunc("/parked", parked)
	if text := os.Getenv("PUSHPIT_NOW"); text != "" {
		seconds := must(strconv.ParseFloat(text, 64))
		told = time.UnixMicro(int64(seconds * 1e6))
		http.HandleFunc("/tick", tick)
	} else {
		go everySecond()
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

// APNs

var (
	client http.Client
	ready  struct {
		Listeners map[string]string
		CA        string
		Keys      []struct{ KeyID, TeamID, P8 string }
	}
	provider struct {
		issued int64
		token  string
	}
)

func connect() {
	check(json.Unmarshal(must(os.ReadFile(os.Getenv("PUSHPIT_READY"))), &ready))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(must(os.ReadFile(ready.CA)))
	client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
}

// By the machine's clock, because APNs checks provider tokens against it; another token every 40 minutes.
func providerToken() string {
	issued := time.Now().Unix() / 2400 * 2400
	if provider.issued != issued {
		key := ready.Keys[0]
		block, _ := pem.Decode(must(os.ReadFile(key.P8)))
		private := must(x509.ParsePKCS8PrivateKey(block.Bytes)).(*ecdsa.PrivateKey)
		encode := base64.RawURLEncoding.EncodeToString
		text := encode([]byte(fmt.Sprintf(`{"alg":"ES256","kid":%q}`, key.KeyID))) + "." +
			encode([]byte(fmt.Sprintf(`{"iss":%q,"iat":%d}`, key.TeamID, issued)))
		hash := sha256.Sum256([]byte(text))
		r, s, err := ecdsa.Sign(rand.Reader, private, hash[:])
		check(err)
		signature := make([]byte, 64)
		r.FillBytes(signature[:32])
		s.FillBytes(signature[32:])
		provider.issued, provider.token = issued, text+"."+encode(signature)
	}
	return provider.token
}

func push(token, text string) {
	body := must(json.Marshal(map[string]any{"aps": map[string]any{"alert": text}}))
	url := "https://" + ready.Listeners["sandbox"] + "/3/device/" + token
	request := must(http.NewRequest("POST", url, bytes.NewReader(body)))
	request.Header.Set("authorization", "bearer "+providerToken())
	request.Header.Set("apns-topic", "com.example.app")
	request.Header.Set("apns-push-type", "alert")
	answer := must(client.Do(request))
	defer answer.Body.Close()
	reason := must(io.ReadAll(answer.Body))
	if answer.StatusCode != http.StatusOK {
		log.Fatalf("APNs answered %d %s", answer.StatusCode, reason)
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
