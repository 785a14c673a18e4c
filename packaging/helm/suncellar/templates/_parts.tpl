{{/* What several templates share. */}}

{{- define "suncellar.labels" -}}
app.kubernetes.io/name: suncellar
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* Which pods have a role: a list of the root and the role. */}}
{{- define "suncellar.selector" -}}
app.kubernetes.io/name: suncellar
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "suncellar.pod" -}}
automountServiceAccountToken: false
# The names of services would become SUNCELLAR_… variables.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  # It may read the secret file.
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- end }}

{{- define "suncellar.container" -}}
image: {{ .Values.image | quote }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- with .Values.secrets.environment }}
envFrom:
  - secretRef:
      name: {{ . }}
{{- end }}
{{- end }}

{{/* Of every process, whatever it does. */}}
{{- define "suncellar.environment" -}}
- name: SUNCELLAR_SECRET_FILE
  value: /run/secrets/suncellar/secret
- name: SUNCELLAR_DATABASE
  valueFrom:
    secretKeyRef: {{ toJson .Values.secrets.database }}
- name: SUNCELLAR_DATABASE_CONNECTIONS
  value: {{ .Values.databaseConnections | quote }}
# Nothing that is to last is written on PostgreSQL with a mail server.
- name: SUNCELLAR_DATA_DIR
  value: /tmp/suncellar
{{- end }}

{{- define "suncellar.mounts" -}}
- name: tmp
  mountPath: /tmp
- name: secret
  mountPath: /run/secrets/suncellar
  readOnly: true
{{- if .Values.secrets.files }}
- name: files
  mountPath: /run/secrets/files
  readOnly: true
{{- end }}
{{- end }}

{{- define "suncellar.volumes" -}}
- name: tmp
  emptyDir: {}
- name: secret
  secret:
    secretName: {{ .Values.secrets.signing.name }}
    defaultMode: 0440
    items:
      - key: {{ .Values.secrets.signing.key }}
        path: secret
{{- with .Values.secrets.files }}
- name: files
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end }}
