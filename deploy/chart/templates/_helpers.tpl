{{- define "statewright.name" -}}
{{- .Values.fullnameOverride | default .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "statewright.account" -}}
{{- .Values.serviceAccount.name | default (include "statewright.name" .) -}}
{{- end }}

{{- define "statewright.agentAccount" -}}
{{- .Values.agentServiceAccountName | default (printf "%s-agent" (include "statewright.name" .)) -}}
{{- end }}

{{/* Pods of the orchestrator, by what never changes. */}}
{{- define "statewright.selector" -}}
app.kubernetes.io/name: statewright
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: orchestrator
{{- end }}

{{- define "statewright.labels" -}}
{{ include "statewright.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: statewright
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* An image: (dict "image" .Values.image "chart" .Chart) */}}
{{- define "statewright.image" -}}
{{- if .image.digest -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* Of every pod that the chart brings. */}}
{{- define "statewright.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "statewright.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{/* Where every pod of the chart runs, and what pulls its image; of the values. */}}
{{- define "statewright.placement" -}}
{{- $given := dict -}}
{{- range $name, $value := pick . "imagePullSecrets" "nodeSelector" "tolerations" -}}
{{- if $value }}{{ $_ := set $given $name $value }}{{ end -}}
{{- end -}}
{{- if $given }}{{ toYaml $given }}{{ end -}}
{{- end }}

{{/* Namespaces whose resources count, as a JSON list. */}}
{{- define "statewright.namespaces" -}}
{{- .Values.namespaces | default (list .Release.Namespace) | uniq | toJson -}}
{{- end }}

{{/* Namespaces that get what agents' pods need, as a JSON list. */}}
{{- define "statewright.agentNamespaces" -}}
{{- if .Values.allNamespaces -}}
{{- prepend .Values.agentNamespaces .Release.Namespace | uniq | toJson -}}
{{- else -}}
{{- include "statewright.namespaces" . -}}
{{- end -}}
{{- end }}

{{/* Empty: where Projects live is not known, and so no account of agents is there. */}}
{{- define "statewright.knowsAgentNamespaces" -}}
{{- if or (not .Values.allNamespaces) .Values.agentNamespaces }}yes{{ end -}}
{{- end }}

{{- define "statewright.keys" -}}
{{- .Values.keysSecretName | default (printf "%s-keys" (include "statewright.name" .)) -}}
{{- end }}

{{- define "statewright.address" -}}
http://{{ include "statewright.name" . }}.{{ .Release.Namespace }}.svc:8080
{{- end }}

{{- define "statewright.publicUrl" -}}
{{- if .Values.urls.public -}}
{{ .Values.urls.public }}
{{- else if .Values.ingress.enabled -}}
{{ ternary "https" "http" (ne .Values.ingress.tlsSecretName "") }}://{{ .Values.ingress.host }}
{{- else if .Values.gateway.enabled -}}
https://{{ .Values.gateway.host }}
{{- else -}}
{{ include "statewright.address" . }}
{{- end -}}
{{- end }}

{{/* Names and keys of Secrets, by the setting that each is the file of. */}}
{{- define "statewright.secrets" -}}
{{- $model := ternary "MODEL_PROVIDER_API_KEY" "AGENT_RUNTIME_OAUTH_TOKEN" (eq .Values.model.credential "apiKey") -}}
{{- $secrets := dict
  "DATABASE_URL" .Values.database
  "OIDC_CLIENT_SECRET" .Values.oidc
  $model .Values.model -}}
{{- if .Values.inspector.secretName }}{{ $_ := set $secrets "INSPECTOR_CLIENT_SECRET" .Values.inspector }}{{ end -}}
{{- if .Values.memory.secretName }}{{ $_ := set $secrets "MEMORY_CLIENT_SECRET" .Values.memory }}{{ end -}}
{{- range $setting, $from := $secrets }}
- secret:
    name: {{ $from.secretName }}
    items: [{key: {{ $from.secretKey | quote }}, path: {{ $setting }}}]
{{- end }}
{{- end }}

{{/* What no default can be, every one of it at once. */}}
{{- define "statewright.check" -}}
{{- $lacks := list -}}
{{- range $name, $value := dict
  "database.secretName" .Values.database.secretName
  "oidc.issuer" .Values.oidc.issuer
  "oidc.audience" .Values.oidc.audience
  "oidc.wrapperAudience" .Values.oidc.wrapperAudience
  "oidc.clientId" .Values.oidc.clientId
  "oidc.secretName" .Values.oidc.secretName
  "model.secretName" .Values.model.secretName -}}
{{- if not $value }}{{ $lacks = append $lacks (printf "%s is needed" $name) }}{{ end -}}
{{- end -}}
{{- range $way := list "ingress" "gateway" -}}
{{- $values := get $.Values $way -}}
{{- if and $values.enabled (not $values.host) }}{{ $lacks = append $lacks (printf "%s.host is needed" $way) }}{{ end -}}
{{- end -}}
{{- if and .Values.gateway.enabled (not .Values.gateway.parentRefs) }}{{ $lacks = append $lacks "gateway.parentRefs is needed" }}{{ end -}}
{{- if and .Values.agentRunAsNonRoot (not .Values.agentRunAsUser) }}{{ $lacks = append $lacks "agentRunAsNonRoot needs an agentRunAsUser above 0" }}{{ end -}}
{{- if gt (int .Values.replicas) 1 }}{{ $lacks = append $lacks "replicas must be 0 or 1: this version does not release several processes of the orchestrator yet" }}{{ end -}}
{{- if and .Values.allNamespaces .Values.namespaces }}{{ $lacks = append $lacks "allNamespaces and namespaces exclude each other" }}{{ end -}}
{{- if and .Values.agentNamespaces (not .Values.allNamespaces) }}{{ $lacks = append $lacks "agentNamespaces needs allNamespaces: those of namespaces have it all" }}{{ end -}}
{{- $isMemoryReached := or .Values.memory.urls .Values.memoryServices -}}
{{- if and $isMemoryReached (not (and .Values.memory.audience .Values.memory.clientId .Values.memory.secretName)) -}}
{{- $lacks = append $lacks "memory.urls and memoryServices need memory.audience, memory.clientId and memory.secretName" -}}
{{- end -}}
{{- $lacks = concat $lacks (include "statewright.memoryLacks" . | fromJsonArray) (include "statewright.stackLacks" . | fromJsonArray) -}}
{{- if and .Values.inspector.secretName (not .Values.inspector.clientId) }}{{ $lacks = append $lacks "inspector.secretName needs inspector.clientId" }}{{ end -}}
{{- if and .Values.inspector.loginClaim (not .Values.inspector.clientId) }}{{ $lacks = append $lacks "inspector.loginClaim needs inspector.clientId" }}{{ end -}}
{{- if $lacks }}{{ fail (printf "\n  - %s\n`helm show values` has what each means." (join "\n  - " (sortAlpha $lacks))) }}{{ end -}}
{{- end }}

{{/* Annotations of the objects of the hook; the number is the order. */}}
{{- define "statewright.hook" -}}
helm.sh/hook: post-delete
helm.sh/hook-weight: {{ . | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end }}
