#!/usr/bin/env bash
# Real kubelet code to compare with: builds hollow nodes of cmd/kubemark from the module of .ci/kube (a minute, caches warm), and
# runs three of them on a control plane. Their container runtime is a fake one, which judge.patch makes fail on two of them.
#   judge.sh FOLDER KUBECONFIG    builds in FOLDER, starts them, records the lives of lives.ts beside this script, ends them
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../../..
folder=${1:?the folder to build in} kubeconfig=${2:?the kubeconfig}
export PATH="$PATH:/usr/local/go/bin" CGO_ENABLED=0 GOFLAGS="-mod=mod -buildvcs=false"

mkdir -p "$folder/judge"
cp "$root/.ci/kube/go.mod" "$root/.ci/kube/go.sum" "$folder"
cd "$folder"
cp "$(go list -m -f '{{.Dir}}' k8s.io/kubernetes)/cmd/kubemark/app/hollow_node.go" judge/main.go
chmod u+w judge/main.go
patch -s judge/main.go "$here/judge.patch"
version=$(awk '$1 == "k8s.io/kubernetes" { print $2 }' go.mod) info=k8s.io/component-base/version
nice -n 19 go build -trimpath -ldflags "-s -w -X $info.gitVersion=$version -X $info.gitMajor=1 -X $info.gitMinor=$(cut -d. -f2 <<<"$version")" \
  -o hollow-node ./judge

nodes=()
trap 'kill "${nodes[@]}" 2>/dev/null' EXIT
# start NAME CALL WHY: a node whose runtime answers each such call with that error; empty: with none.
start() {
  FAULT=$2 WHY=$3 ./hollow-node --morph=kubelet --name="$1" --kubeconfig="$kubeconfig" --use-host-image-service=false \
    --kubelet-port=0 --kubelet-read-only-port=0 --kube-api-content-type=application/json >"$1.log" 2>&1 &
  nodes+=($!)
}
start hollow-plain "" ""
start hollow-pull PullImage "failed to pull and unpack image: not found"
start hollow-start StartContainer "exec: no such file or directory: unknown"
for _ in $(seq 1 100); do
  [ "$(grep -l 'became ready' hollow-*.log | wc -l)" = 3 ] && break
  sleep 0.2
done
"$root/node_modules/node/bin/node" "$here/record.ts" "$kubeconfig"
