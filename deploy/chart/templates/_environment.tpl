{{/* The settings of the orchestrator: docs/settings.md has what each means. */}}
{{- define "statewright.environment" -}}
{{- $name := include "statewright.name" . -}}
{{- $set := dict
  "PLACE" "kubernetes"
  "STATE_DIR" "/var/lib/statewright"
  "KEYS_DIR" "/run/statewright/keys"
  "HTTP_ADDR" "0.0.0.0:8080"
  "INTERNAL_ADDR" "0.0.0.0:8082"
  "WATCH_NAMESPACES" (ternary "" (include "statewright.namespaces" . | fromJsonArray | join ",") .Values.allNamespaces)
  "LEASE_NAMESPACE" .Release.Namespace
  "OPERATOR_URL" (.Values.urls.operator | default (include "statewright.address" .))
  "INTERNAL_URL" (.Values.urls.internal | default (printf "http://%s-internal.%s.svc:8082" $name .Release.Namespace))
  "PUBLIC_URL" (include "statewright.publicUrl" .)
  "OIDC_ISSUER" .Values.oidc.issuer
  "OIDC_AUDIENCE" .Values.oidc.audience
  "WRAPPER_AUDIENCE" .Values.oidc.wrapperAudience
  "OIDC_CLIENT_ID" .Values.oidc.clientId
  "AGENT_IMAGE" (include "statewright.image" (dict "image" .Values.wrapperImage "chart" .Chart))
  "AGENT_CLI" (.Values.agentCli | default (list "/usr/local/bin/claude") | toJson)
  "AGENT_RUN_AS_NON_ROOT" (ternary "on" "off" .Values.agentRunAsNonRoot)
  "WORKSPACES" (ternary "on" "off" .Values.workspaces)
  "CRON_TIME_ZONE" .Values.timeZone -}}
{{- if include "statewright.knowsAgentNamespaces" . }}{{ $_ := set $set "AGENT_SERVICE_ACCOUNT" (include "statewright.agentAccount" .) }}{{ end -}}
{{- with .Values.agentServiceAccountName }}{{ $_ := set $set "AGENT_SERVICE_ACCOUNT" . }}{{ end -}}
{{- if not (kindIs "invalid" .Values.agentRunAsUser) }}{{ $_ := set $set "AGENT_RUN_AS_USER" (int64 .Values.agentRunAsUser | toString) }}{{ end -}}
{{- if not (kindIs "invalid" .Values.agentFsGroup) }}{{ $_ := set $set "AGENT_FS_GROUP" (int64 .Values.agentFsGroup | toString) }}{{ end -}}
{{- with .Values.agentResources }}{{ $_ := set $set "AGENT_RESOURCES" (toJson .) }}{{ end -}}
{{- with .Values.model.baseUrl }}{{ $_ := set $set "MODEL_BASE_URL" . }}{{ end -}}
{{- with .Values.skillsRepoUrl }}{{ $_ := set $set "SKILLS_REPO_URL" . }}{{ end -}}
{{- with .Values.inspector.clientId }}{{ $_ := set $set "INSPECTOR_CLIENT_ID" . }}{{ $_ := set $set "INSPECTOR_SCOPE" $.Values.inspector.scope }}{{ end -}}
{{- with .Values.inspector.loginClaim }}{{ $_ := set $set "INSPECTOR_LOGIN_CLAIM" . }}{{ end -}}
{{- with include "statewright.memoryUrls" . }}{{ if ne . "{}" }}{{ $_ := set $set "MEMORY_URLS" . }}{{ end }}{{ end -}}
{{- with include "statewright.memoryPublicUrls" . }}{{ if ne . "{}" }}{{ $_ := set $set "MEMORY_PUBLIC_URLS" . }}{{ end }}{{ end -}}
{{- with .Values.memory.audience }}{{ $_ := set $set "MEMORY_AUDIENCE" . }}{{ end -}}
{{- with .Values.memory.clientId }}{{ $_ := set $set "MEMORY_CLIENT_ID" . }}{{ end -}}
{{- if .Values.memoryStacks.enabled }}{{ $_ := set $set "MEMORY_STACKS" (include "statewright.memoryStacks" .) }}{{ end -}}
{{- range $setting, $value := .Values.settings -}}
{{- $text := $value | toString -}}
{{- if kindIs "bool" $value }}{{ $text = ternary "on" "off" $value }}{{ end -}}
{{- if kindIs "slice" $value }}{{ $text = join "," $value }}{{ end -}}
{{- if kindIs "map" $value }}{{ $text = toJson $value }}{{ end -}}
{{- if kindIs "float64" $value }}{{ $text = int64 $value | toString }}{{ end -}}
{{- $_ := set $set $setting $text -}}
{{- end -}}
{{- include "statewright.variables" (dict "set" $set "secrets" (include "statewright.secrets" .)) -}}
{{- end }}

{{/* Variables of a container: (dict "set" SETTINGS "secrets" SOURCES); each source is a file that a setting names. */}}
{{- define "statewright.variables" -}}
{{- $set := .set -}}
{{- range .secrets | fromYamlArray -}}
{{- $setting := (first .secret.items).path -}}
{{- $_ := set $set (printf "%s_FILE" $setting) (printf "/run/statewright/secrets/%s" $setting) -}}
{{- end -}}
{{- range $setting, $value := $set }}
- name: {{ $setting }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}
