// The example provider of zitadel/oidc, on a free port of the loopback. Its own main listens on every address, knows no
// public client that signs in by device, and gives opaque access tokens without roles. All else is the example's.
//
//	oidc CONFIGURATION
//
// CONFIGURATION is JSON: `people` gives each name its claims, `redirectUris` are those of both clients, after a sign-out too. `native` is a
// public client, `web` has the secret `secret`. Every password is `verysecure`. The first line it prints is its issuer.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

type configuration struct {
	People       map[string]map[string]any `json:"people"`
	RedirectURIs []string                  `json:"redirectUris"`
}

// The id of a user is its name: the example's page for devices takes one for the other.
func (c configuration) GetUserByID(name string) *storage.User {
	if _, ok := c.People[name]; !ok {
		return nil
	}
	return &storage.User{ID: name, Username: name, Password: "verysecure", FirstName: name, IsAdmin: false}
}

func (c configuration) GetUserByUsername(name string) *storage.User { return c.GetUserByID(name) }

func (c configuration) ExampleClientID() string { return storage.ServiceUserID }

type store struct {
	*storage.Storage
	people       map[string]map[string]any
	redirectURIs []string
}

func (s store) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	found, err := s.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return client{found, s.redirectURIs}, nil
}

func (s store) GetPrivateClaimsFromScopes(ctx context.Context, name, clientID string, scopes []string) (map[string]any, error) {
	claims, err := s.Storage.GetPrivateClaimsFromScopes(ctx, name, clientID, scopes)
	if err != nil {
		return nil, err
	}
	all := map[string]any{}
	for _, given := range []map[string]any{claims, s.people[name]} {
		for claim, value := range given {
			all[claim] = value
		}
	}
	return all, nil
}

func (s store) SetUserinfoFromRequest(ctx context.Context, info *oidc.UserInfo, request op.IDTokenRequest, scopes []string) error {
	for claim, value := range s.people[request.GetSubject()] {
		info.AppendClaims(claim, value)
	}
	return s.Storage.SetUserinfoFromRequest(ctx, info, request, scopes)
}

// The example's refresh token of a device names no client, so nobody can use it.
func (s store) CreateAccessAndRefreshTokens(ctx context.Context, request op.TokenRequest, current string) (string, string, time.Time, error) {
	if device, ok := request.(*op.DeviceAuthorizationState); ok {
		request = &storage.AuthRequest{ApplicationID: device.ClientID, UserID: device.Subject, Scopes: device.Scopes}
	}
	return s.Storage.CreateAccessAndRefreshTokens(ctx, request, current)
}

type client struct {
	op.Client
	redirectURIs []string
}

// The example registers none, so that nobody who signs out comes back.
func (c client) PostLogoutRedirectURIs() []string { return c.redirectURIs }

func (c client) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }

func (c client) GrantTypes() []oidc.GrantType {
	return append(c.Client.GrantTypes(), oidc.GrantTypeDeviceCode)
}

func main() {
	var given configuration
	if len(os.Args) != 2 {
		log.Fatal("usage: oidc CONFIGURATION")
	}
	if err := json.Unmarshal([]byte(os.Args[1]), &given); err != nil {
		log.Fatal(err)
	}
	storage.RegisterClients(
		storage.NativeClient("native", given.RedirectURIs...),
		storage.WebClient("web", "secret", given.RedirectURIs...),
	)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	// With the slash at the end, as the example's own is.
	issuer := fmt.Sprintf("http://%s/", listener.Addr())
	router := exampleop.SetupServer(issuer, store{storage.NewStorage(given), given.People, given.RedirectURIs}, slog.New(slog.NewTextHandler(os.Stderr, nil)), false)
	fmt.Println(issuer)
	log.Fatal(http.Serve(listener, router))
}
