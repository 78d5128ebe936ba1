// Unverified: written by the documentation of testcontainers-go, and never run. It wants an image pushpit:0.1.0.
package backend

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

func TestGoal(t *testing.T) {
	ctx := context.Background()
	request := testcontainers.ContainerRequest{
		Image:        "pushpit:0.1.0",
		Cmd:          []string{"serve", "--for-tests", "--host", "0.0.0.0", "--state", "/state"},
		ExposedPorts: []string{"2190/tcp", "2197/tcp"},
		WaitingFor:   wait.ForHTTP("/health").WithPort("2190/tcp"),
	}
	pushpit, err := testcontainers.GenericContainer(ctx,
		testcontainers.GenericContainerRequest{ContainerRequest: request, Started: true})
	testcontainers.CleanupContainer(t, pushpit)
	require.NoError(t, err)
	admin, err := pushpit.PortEndpoint(ctx, "2190/tcp", "http")
	require.NoError(t, err)
	apns, err := pushpit.PortEndpoint(ctx, "2197/tcp", "https")
	require.NoError(t, err)
	ca, err := pushpit.CopyFileFromContainer(ctx, "/state/ca.pem") // the key is the AuthKey_….p8 beside it
	require.NoError(t, err)
	row := get(t, admin+"/v1/tokens?kind=device&environment=sandbox&limit=1") // {"tokens":[{"token":"…", …
	send(t, apns, ca, strings.Split(row, `"`)[5], "Goal!")                    // your backend
	require.Contains(t, get(t, admin+"/v1/devices/d0/screen"), `"body":"Goal!"`)
}

func get(t *testing.T, url string) string {
	answer, err := http.Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(body)
}
