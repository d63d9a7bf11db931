// Reads dashboards as Grafana's own types have them. It prints each field, kind of panel and option that they lack, and fails.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
	"github.com/grafana/grafana-foundation-sdk/go/prometheus"
	"github.com/grafana/grafana-foundation-sdk/go/stat"
	"github.com/grafana/grafana-foundation-sdk/go/timeseries"
)

type part struct {
	Type        string
	Title       string
	Datasource  struct{ Type string }
	FieldConfig json.RawMessage
	Targets     []part
}

type board struct {
	Panels     []json.RawMessage
	Templating struct {
		List []struct{ Type dashboard.VariableType }
	}
}

// The types have no list of their own constants.
var variables = map[dashboard.VariableType]bool{
	dashboard.VariableTypeDatasource: true,
	dashboard.VariableTypeQuery:      true,
	dashboard.VariableTypeInterval:   true,
	dashboard.VariableTypeConstant:   true,
	dashboard.VariableTypeCustom:     true,
}

// The strict readers give an empty list as an error, and the reader of a whole dashboard drops its panels for it.
func faults(where string, err error) []string {
	var all cog.BuildErrors
	if err == nil {
		return nil
	}
	if !errors.As(err, &all) {
		return []string{where + ": " + err.Error()}
	}
	var found []string
	for _, one := range all {
		found = append(found, where+": "+one.Error())
	}
	return found
}

func panelFaults(raw json.RawMessage) []string {
	var shown part
	if err := json.Unmarshal(raw, &shown); err != nil {
		return []string{err.Error()}
	}
	where := fmt.Sprintf("panel %q", shown.Title)
	var panel dashboard.Panel
	found := faults(where, panel.UnmarshalJSONStrict(raw))
	found = append(found, faults(where, panel.Validate())...)
	// What these three do not know the reader of a panel takes as it is.
	if _, known := cog.ConfigForPanelcfgVariant(shown.Type); !known {
		found = append(found, fmt.Sprintf("%s: the kind %q is none that .ci/grafana/main.go registers", where, shown.Type))
	}
	var fields dashboard.FieldConfigSource
	found = append(found, faults(where, fields.UnmarshalJSONStrict(shown.FieldConfig))...)
	for _, source := range append(shown.Targets, shown) {
		if source.Datasource.Type != "prometheus" {
			found = append(found, fmt.Sprintf("%s: asks %q, not prometheus", where, source.Datasource.Type))
		}
	}
	return found
}

func faultsOf(path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		return []string{err.Error()}
	}
	var shown board
	if err := json.Unmarshal(text, &shown); err != nil {
		return []string{err.Error()}
	}
	var whole dashboard.Dashboard
	found := faults("dashboard", whole.UnmarshalJSONStrict(text))
	found = append(found, faults("dashboard", whole.Validate())...)
	for _, raw := range shown.Panels {
		found = append(found, panelFaults(raw)...)
	}
	for _, variable := range shown.Templating.List {
		if !variables[variable.Type] {
			found = append(found, fmt.Sprintf("there is no variable of the type %q", variable.Type))
		}
	}
	return found
}

// The kinds that our dashboards use: each more is a package to build.
func register() {
	runtime := cog.NewRuntime()
	runtime.RegisterPanelcfgVariant(stat.VariantConfig())
	runtime.RegisterPanelcfgVariant(timeseries.VariantConfig())
	runtime.RegisterDataqueryVariant(prometheus.VariantConfig())
}

func main() {
	register()
	code := 0
	for _, path := range os.Args[1:] {
		for _, fault := range faultsOf(path) {
			fmt.Printf("%s: %s\n", path, fault)
			code = 1
		}
	}
	os.Exit(code)
}
