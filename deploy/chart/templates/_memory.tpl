{{/* Memory services as a JSON list: each with the name of its objects, its Project and the prefix of its routes. */}}
{{- define "statewright.memoryServices" -}}
{{- $all := list -}}
{{- range $name, $given := .Values.memoryServices -}}
{{- $object := printf "%s-memory-%s" (include "statewright.name" $) $name -}}
{{- $own := dict
  "name" $name
  "object" $object
  "host" ($given.host | default "")
  "tlsSecretName" ($given.tlsSecretName | default "")
  "path" ($given.path | default (ternary "/api/v1/memory" (printf "/api/v1/memory/%s" $name) (ne ($given.host | default "") "")))
  "isPublic" (dig "isPublic" true $given)
  "url" (printf "http://%s.%s.svc:8080" $object $.Release.Namespace)
  "engine" ($given.engine | default dict)
  "embeddings" ($given.embeddings | default dict)
  "graph" ($given.graph | default dict)
  "resources" ($given.resources | default $.Values.memoryResources) -}}
{{- $all = append $all (mergeOverwrite (deepCopy $given) $own) -}}
{{- end -}}
{{- toJson $all -}}
{{- end }}

{{/* Addresses by Project, as JSON: those of the chart's services, and what values name. */}}
{{- define "statewright.memoryUrls" -}}
{{- $urls := dict -}}
{{- range include "statewright.memoryServices" . | fromJsonArray }}{{ $_ := set $urls .project .url }}{{ end -}}
{{- merge (deepCopy .Values.memory.urls) $urls | toJson -}}
{{- end }}

{{/* Addresses from outside by Project, as JSON: what values name, and the chart's services that its Ingress or HTTPRoute leads to. */}}
{{- define "statewright.memoryPublicUrls" -}}
{{- $urls := dict -}}
{{- if or .Values.ingress.enabled .Values.gateway.enabled -}}
{{- range include "statewright.memoryServices" . | fromJsonArray -}}
{{- if and .isPublic (not (hasKey $.Values.memory.urls .project)) -}}
{{- $base := include "statewright.publicUrl" $ | trimSuffix "/" -}}
{{- if .host }}{{ $base = printf "%s://%s" (ternary "http" "https" (and $.Values.ingress.enabled (eq .tlsSecretName ""))) .host }}{{ end -}}
{{- $_ := set $urls .project (printf "%s%s" $base .path) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- merge (deepCopy .Values.memory.publicUrls) $urls | toJson -}}
{{- end }}

{{/* Labels of the objects of one: (dict "chart" $ "object" NAME); the first one is what selects its pods. */}}
{{- define "statewright.memoryLabels" -}}
statewright.dev/memory: {{ .object }}
{{ include "statewright.labels" .chart | replace "component: orchestrator" "component: memory" }}
{{- end }}

{{/* Names and keys of Secrets, by the setting that each is the file of. */}}
{{- define "statewright.memorySecrets" -}}
{{- range $setting, $from := dict
  "DATABASE_URL" .database
  "ENGINE_API_KEY" .engine
  "EMBEDDINGS_API_KEY" .embeddings
  "GRAPH_URL" .graph }}
{{- if $from.secretName }}
- secret:
    name: {{ $from.secretName }}
    items: [{key: {{ $from.secretKey | default (ternary "url" "api-key" (hasSuffix "_URL" $setting)) | quote }}, path: {{ $setting }}}]
{{- end }}
{{- end }}
{{- end }}

{{/* The settings of one: docs/memory.md has what each means. */}}
{{- define "statewright.memoryEnvironment" -}}
{{- $set := dict
  "STATE_DIR" "/var/lib/statewright"
  "HTTP_ADDR" "0.0.0.0:8080"
  "BASE_PATH" .service.path
  "OIDC_ISSUER" .values.oidc.issuer
  "OIDC_AUDIENCE" .values.memory.audience -}}
{{- with .service.engine.url }}{{ $_ := set $set "ENGINE_URL" . }}{{ end -}}
{{- with .service.embeddings.url }}{{ $_ := set $set "EMBEDDINGS_URL" . }}{{ end -}}
{{- with .service.embeddings.model }}{{ $_ := set $set "EMBEDDINGS_MODEL" . }}{{ end -}}
{{- range $setting, $value := .service.settings }}
{{- $_ := set $set $setting (kindIs "float64" $value | ternary (printf "%.0f" $value) (toString $value)) -}}
{{- end -}}
{{- include "statewright.variables" (dict "set" $set "secrets" (include "statewright.memorySecrets" .service)) -}}
{{- end }}

{{/* What a lack of theirs is called, as a JSON list. */}}
{{- define "statewright.memoryLacks" -}}
{{- $lacks := list -}}
{{- $projects := list -}}
{{- $databases := list -}}
{{- $routes := list -}}
{{- $namespaces := include "statewright.agentNamespaces" . | fromJsonArray -}}
{{- range include "statewright.memoryServices" . | fromJsonArray -}}
{{- if gt (len .object) 63 }}{{ $lacks = append $lacks (printf "memoryServices.%s: %s is longer than 63 characters" .name .object) }}{{ end -}}
{{- if has .project $projects }}{{ $lacks = append $lacks (printf "memoryServices.%s: %s has a service already" .name .project) }}{{ end -}}
{{- $namespace := .project | splitList "/" | first -}}
{{- if and (include "statewright.knowsAgentNamespaces" $) (not (has $namespace $namespaces)) -}}
{{- $lacks = append $lacks (printf "memoryServices.%s: %s is none of the namespaces of Projects" .name $namespace) -}}
{{- end -}}
{{- if and .embeddings.url (not .embeddings.model) }}{{ $lacks = append $lacks (printf "memoryServices.%s.embeddings.model is needed" .name) }}{{ end -}}
{{- $projects = append $projects .project -}}
{{- $database := printf "%s/%s" .database.secretName (.database.secretKey | default "url") -}}
{{- if has $database $databases }}{{ $lacks = append $lacks (printf "memoryServices.%s.database: another service has the database of %s" .name $database) }}{{ end -}}
{{- $databases = append $databases $database -}}
{{- $route := printf "%s%s" .host .path -}}
{{- if and .isPublic (has $route $routes) }}{{ $lacks = append $lacks (printf "memoryServices.%s.path: %s leads to another service" .name $route) }}{{ end -}}
{{- if .isPublic }}{{ $routes = append $routes $route }}{{ end -}}
{{- end -}}
{{- toJson $lacks -}}
{{- end }}
