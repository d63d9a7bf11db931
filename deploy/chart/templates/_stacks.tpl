{{/* The setting MEMORY_STACKS, as JSON: docs/memory.md has what each field means. */}}
{{- define "statewright.memoryStacks" -}}
{{- $given := .Values.memoryStacks -}}
{{- $set := dict
  "image" (include "statewright.image" (dict "image" .Values.memoryImage "chart" .Chart))
  "imagePullPolicy" .Values.memoryImage.pullPolicy
  "servicePodLabels" .Values.networkPolicy.memoryPodLabels -}}
{{- range $name, $value := pick $given "postgresImage" "neo4jImage" "lightragImage" "storageClass" "tokenTypes" -}}
{{- if $value }}{{ $_ := set $set $name $value }}{{ end -}}
{{- end -}}
{{- range $given.imagePullSecrets }}{{ $_ := set $set "imagePullSecrets" (append ($set.imagePullSecrets | default list) .name) }}{{ end -}}
{{- with $given.cloudNativePg -}}
{{- if not .enabled }}{{ $_ := set $set "usesCloudNativePg" false }}{{ end -}}
{{- if .image }}{{ $_ := set $set "cloudNativePg" (dict "image" .image) }}{{ end -}}
{{- if .name }}{{ $_ := set $set "cloudNativePg" (dict "kind" .kind "name" .name "major" (int64 .major)) }}{{ end -}}
{{- end -}}
{{- with $given.embeddings -}}
{{- $embeddings := dict "url" .url "model" .model -}}
{{- if .secretName }}{{ $_ := set $embeddings "secret" (dict "name" .secretName "key" .secretKey) }}{{ end -}}
{{- if .url }}{{ $_ := set $set "embeddings" $embeddings }}{{ end -}}
{{- end -}}
{{- range $part := list "lightrag" "resources" -}}
{{- $fields := dict -}}
{{- range $name, $value := get $given $part }}{{ if $value }}{{ $_ := set $fields $name $value }}{{ end }}{{ end -}}
{{- if $fields }}{{ $_ := set $set $part $fields }}{{ end -}}
{{- end -}}
{{- toJson $set -}}
{{- end }}

{{/* What a lack of theirs is called, as a JSON list. */}}
{{- define "statewright.stackLacks" -}}
{{- $lacks := list -}}
{{- $given := .Values.memoryStacks -}}
{{- if $given.enabled -}}
{{- if not (and .Values.memory.audience .Values.memory.clientId .Values.memory.secretName) -}}
{{- $lacks = append $lacks "memoryStacks.enabled needs memory.audience, memory.clientId and memory.secretName" -}}
{{- end -}}
{{- if and $given.embeddings.url (not $given.embeddings.model) }}{{ $lacks = append $lacks "memoryStacks.embeddings.model is needed" }}{{ end -}}
{{- if and $given.cloudNativePg.image $given.cloudNativePg.name }}{{ $lacks = append $lacks "memoryStacks.cloudNativePg.image and memoryStacks.cloudNativePg.name exclude each other" }}{{ end -}}
{{- end -}}
{{- toJson $lacks -}}
{{- end }}

{{/* Pods of a part. CloudNativePG gives its own the labels of the stack, without a part (edges/kubernetes/memory-stack/names.ts). */}}
{{- define "statewright.stackPods" -}}
{{- if eq . "all" -}}
matchExpressions: [{key: statewright.dev/memory-stack, operator: Exists}]
{{- else if eq . "cluster" -}}
matchExpressions: [{key: statewright.dev/memory-stack, operator: Exists}, {key: cnpg.io/cluster, operator: Exists}]
{{- else -}}
matchLabels: {statewright.dev/memory-part: {{ . }}}
{{- end -}}
{{- end }}

{{/* Peers of the policy's own namespace, by their parts. */}}
{{- define "statewright.stackPeers" -}}
{{- $peers := list -}}
{{- range . }}{{ $peers = append $peers (dict "podSelector" (include "statewright.stackPods" . | fromYaml)) }}{{ end -}}
{{- toYaml $peers -}}
{{- end }}

{{/* A policy without its rules: (dict "chart" $ "namespace" NAMESPACE "part" PART) */}}
{{- define "statewright.stackPolicy" }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "statewright.name" .chart }}-stack-{{ .part }}
  namespace: {{ .namespace }}
  labels:
    {{- include "statewright.labels" .chart | nindent 4 }}
spec:
  podSelector:
    {{- include "statewright.stackPods" .part | nindent 4 }}
  policyTypes: [Ingress, Egress]
{{- end }}

{{/* Rules of egress to PostgreSQL and Neo4j. */}}
{{- define "statewright.stackStores" -}}
- ports: [{protocol: TCP, port: 5432}]
  to:
    {{- include "statewright.stackPeers" (list "postgres" "cluster") | nindent 4 }}
- ports: [{protocol: TCP, port: 7687}]
  to:
    {{- include "statewright.stackPeers" (list "neo4j") | nindent 4 }}
{{- end }}

{{/* Rules of egress to the ports of those texts that are addresses, whoever has them. */}}
{{- define "statewright.toAddresses" -}}
{{- $ports := list -}}
{{- range . -}}
{{- if regexMatch "^https?://" . -}}
{{- $ports = append $ports (regexFind ":[0-9]+$" (urlParse .).host | trimPrefix ":" | default (ternary "443" "80" (hasPrefix "https:" .))) -}}
{{- end -}}
{{- end -}}
{{- with $ports | uniq | sortAlpha -}}
- ports:
    {{- range . }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end -}}
{{- end }}
