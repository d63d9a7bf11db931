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
