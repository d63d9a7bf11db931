// Loads a compose file as `docker compose` does, with the variables of this process alone, and prints the project as JSON.
// Usage: compose FILE [PROFILE...]. Exit code 1: the file is wrong; the reason goes to standard error.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: compose FILE [PROFILE...]")
		os.Exit(2)
	}
	if err := show(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func show(file string, profiles []string) error {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithOsEnv, cli.WithProfiles(profiles), cli.WithResolvedPaths(true))
	if err != nil {
		return err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return err
	}
	text, err := project.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = fmt.Println(string(text))
	return err
}
