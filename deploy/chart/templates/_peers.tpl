{{/* Peers of network policies, as YAML lists. */}}
{{- define "statewright.orchestratorPods" -}}
- namespaceSelector:
    matchLabels:
      kubernetes.io/metadata.name: {{ .Release.Namespace }}
  podSelector:
    matchLabels:
      {{- include "statewright.selector" . | nindent 6 }}
{{- end }}

{{/* Of all agents, or of a Project's, `<namespace>/<name>`: (dict "chart" $ "project" PROJECT) */}}
{{- define "statewright.agentsOf" -}}
{{- $parts := splitList "/" .project -}}
{{- $namespaces := include "statewright.agentNamespaces" .chart | fromJsonArray -}}
{{- if .project }}{{ $namespaces = list (first $parts) }}{{ end -}}
- podSelector:
    matchLabels:
      platform.dev/managed-by: platform-operator
      {{- if .project }}
      platform.dev/project: {{ last $parts | quote }}
      {{- end }}
  {{- /* A pod elsewhere may carry the label of agents too. */}}
  {{- if not (or .project (include "statewright.knowsAgentNamespaces" .chart)) }}
  namespaceSelector: {}
  {{- else }}
  namespaceSelector:
    matchExpressions:
      - {key: kubernetes.io/metadata.name, operator: In, values: {{ toJson $namespaces }}}
  {{- end }}
{{- end }}
