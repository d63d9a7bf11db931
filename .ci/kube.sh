#!/usr/bin/env bash
# A real Kubernetes control plane for tests, in a folder of its own, on free loopback ports: API server, etcd and, unless told
# otherwise, the controller manager. One program (kube/kubebox), built from the Go module proxy and kept in the cache folder.
#   kube.sh build          builds it where it isn't there (about 4 minutes of two idle cores), prints the folder of its programs
#   kube.sh find           prints that folder; exit code 1 where it isn't built
#   kube.sh start DIR      starts a control plane with its data in DIR, prints the path of its kubeconfig (of an administrator)
#   kube.sh kill-api DIR   ends the API server as a crash does, and leaves etcd
#   kube.sh start-api DIR  starts it again on its port
#   kube.sh stop DIR       stops all of it and removes DIR
# KUBE_CRDS: folders of definitions, absolute, with commas between them, applied before the controller manager starts, which learns
# of later ones 40 s on.
# KUBE_NODE_GRACE: how long a node may be silent, 50s unless set: then it is tainted, and its pods are evicted.
# KUBE_CONTROLLERS=0: without the controller manager. KUBE_SCHEDULER=1: with the scheduler.
set -euo pipefail

name=kube
program=kubebox

compile() {
  local version each info=k8s.io/component-base/version
  version=$(awk '$1 == "k8s.io/kubernetes" { print $2 }' go.mod)
  nice -n 15 go build \
    -ldflags "-s -w -X $info.gitVersion=$version -X $info.gitMajor=1 -X $info.gitMinor=$(cut -d. -f2 <<<"$version")" \
    -o "$1" ./kubebox || return 1
  for each in etcd kube-apiserver kube-controller-manager kube-scheduler kubectl; do
    printf '#!/bin/sh\nexec "$(dirname "$0")/kubebox" %s "$@"\n' "$each" >"${1%/*}/$each"
    chmod +x "${1%/*}/$each"
  done
}

# Three of them, all held until all are found: no two are the same.
free_ports() {
  node -e '
    const servers = [0, 1, 2].map(() => require("net").createServer().listen(0, "127.0.0.1"))
    setTimeout(() => { console.log(servers.map((one) => one.address().port).join(" ")); servers.forEach((one) => one.close()) }, 50)'
}

# leaf NAME SUBJECT EXTENSION: a certificate of the folder's own authority.
leaf() {
  openssl ecparam -genkey -name prime256v1 -noout -out "$1.key"
  openssl req -new -key "$1.key" -subj "$2" -out "$1.csr"
  printf '%s\n' "$3" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile "$1.ext" -out "$1.crt"
}

certificates() {
  mkdir -p "$1/pki"
  (
    cd "$1/pki"
    openssl ecparam -genkey -name prime256v1 -noout -out ca.key
    openssl req -x509 -new -key ca.key -days 30 -subj /CN=statewright-tests -out ca.crt
    leaf server /CN=kube-apiserver "subjectAltName=DNS:localhost,DNS:kubernetes.default.svc,IP:127.0.0.1"
    leaf admin "/O=system:masters/CN=admin" "extendedKeyUsage=clientAuth"
    openssl genrsa -out sa.key 2048
    openssl rsa -in sa.key -pubout -out sa.pub
  ) >/dev/null 2>"$1/pki.log" || { cat "$1/pki.log" >&2; return 1; }
}

kubeconfig() {
  local dir=$1 port=$2
  cat >"$dir/kubeconfig" <<K
apiVersion: v1
kind: Config
current-context: tests
clusters: [{name: tests, cluster: {server: "https://127.0.0.1:$port", certificate-authority-data: $(base64 -w0 "$dir/pki/ca.crt")}}]
users: [{name: admin, user: {client-certificate-data: $(base64 -w0 "$dir/pki/admin.crt"), client-key-data: $(base64 -w0 "$dir/pki/admin.key")}}]
contexts: [{name: tests, context: {cluster: tests, user: admin, namespace: default}}]
K
}

# When a process began, in ticks since boot: its pid alone may be somebody else's by now. Empty where it is gone.
began() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20; }

# runs FILE: whether the process of a pid file still does.
runs() {
  local pid start
  read -r pid start 2>/dev/null <"$1" && kill -0 "$pid" 2>/dev/null && [ "$(began "$pid")" = "$start" ]
}

# launch DIR NAME COMMAND...: in a session of its own, its output in DIR/NAME.log.
launch() {
  local dir=$1 name=$2
  shift 2
  (cd "$dir" && exec setsid "$@" >>"$dir/$name.log" 2>&1 </dev/null) &
  echo "$! $(began $!)" >"$dir/$name.pid"
}

launch_etcd() {
  local dir=$1 client=$2 peer=$3
  launch "$dir" etcd "$programs/kubebox" etcd --data-dir "$dir/etcd" --unsafe-no-fsync --log-level warn \
    --listen-client-urls "http://127.0.0.1:$client" --advertise-client-urls "http://127.0.0.1:$client" \
    --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
    --initial-cluster "default=http://127.0.0.1:$peer"
}

# OwnerReferencesPermissionEnforcement: many distributions turn it on.
start_api() {
  local dir=$1 port client peer
  read -r port client peer <"$dir/ports"
  launch "$dir" api "$programs/kubebox" kube-apiserver --etcd-servers "http://127.0.0.1:$client" \
    --bind-address 127.0.0.1 --advertise-address 127.0.0.1 --secure-port "$port" --endpoint-reconciler-type none \
    --kubelet-preferred-address-types InternalIP --service-cluster-ip-range 10.0.0.0/24 --authorization-mode RBAC --allow-privileged=true --profiling=false \
    --tls-cert-file pki/server.crt --tls-private-key-file pki/server.key --client-ca-file pki/ca.crt \
    --service-account-issuer https://kubernetes.default.svc --service-account-key-file pki/sa.pub \
    --service-account-signing-key-file pki/sa.key --enable-admission-plugins OwnerReferencesPermissionEnforcement
  await_api "$dir" "$port"
}

# Until it answers, for at most two minutes: the machine may be busy.
await_api() {
  local dir=$1 port=$2
  for _ in $(seq 1 1200); do
    if curl -sf --cacert "$dir/pki/ca.crt" --cert "$dir/pki/admin.crt" --key "$dir/pki/admin.key" \
      "https://127.0.0.1:$port/readyz" >/dev/null; then return 0; fi
    runs "$dir/api.pid" && runs "$dir/etcd.pid" || return 1
    sleep 0.1
  done
  return 1
}

start() {
  local dir=$1 attempt port client peer
  find_programs >/dev/null
  mkdir -p "$dir"
  certificates "$dir"
  # Between finding ports and taking them someone else may have: then others.
  for attempt in 1 2 3; do
    free_ports >"$dir/ports"
    read -r port client peer <"$dir/ports"
    kubeconfig "$dir" "$port"
    launch_etcd "$dir" "$client" "$peer"
    if start_api "$dir"; then
      finish_start "$dir" || { end "$dir"; return 1; }
      return 0
    fi
    echo "attempt $attempt on port $port failed" >&2
    end "$dir"
  done
  tail -n 20 "$dir/etcd.log" "$dir/api.log" >&2
  return 1
}

finish_start() {
  local dir=$1
  if [ -n "${KUBE_CRDS:-}" ]; then
    "$programs/kubectl" --kubeconfig "$dir/kubeconfig" apply --server-side -f "$KUBE_CRDS" >&2 || return 1
    "$programs/kubectl" --kubeconfig "$dir/kubeconfig" wait --for=condition=Established crd --all --timeout=60s >&2 || return 1
  fi
  [ "${KUBE_CONTROLLERS:-1}" = 0 ] || launch "$dir" controllers "$programs/kubebox" kube-controller-manager \
    --kubeconfig "$dir/kubeconfig" --leader-elect=false --secure-port=0 --service-account-private-key-file pki/sa.key \
    --root-ca-file pki/ca.crt --enable-hostpath-provisioner=true --node-monitor-grace-period "${KUBE_NODE_GRACE:-50s}"
  [ "${KUBE_SCHEDULER:-0}" = 0 ] || launch "$dir" scheduler "$programs/kubebox" kube-scheduler \
    --kubeconfig "$dir/kubeconfig" --leader-elect=false --secure-port=0
  echo "$dir/kubeconfig"
}

# At once and on purpose: asked politely, an API server whose etcd is gone holds its port for up to a minute.
end_one() {
  local file=$1 pid start
  read -r pid start 2>/dev/null <"$file" || return 0
  if runs "$file"; then kill -9 "$pid" 2>/dev/null || true; fi
  for _ in $(seq 1 200); do
    runs "$file" || break
    sleep 0.05
  done
  rm -f "$file"
}

end() {
  local name
  for name in scheduler controllers api etcd; do end_one "$1/$name.pid"; done
}

other() {
  case "${1:-}" in
    start) start "${2:?the folder}" ;;
    kill-api) end_one "${2:?the folder}/api.pid" ;;
    start-api) start_api "${2:?the folder}" ;;
    stop)
      end "${2:?the folder}"
      rm -rf "$2"
      ;;
    *)
      echo "usage: kube.sh build | find | start DIR | kill-api DIR | start-api DIR | stop DIR" >&2
      exit 2
      ;;
  esac
}

source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
