/**
 * Plays the session of docs/kubernetes.md on a real control plane and writes what kubectl printed into the page.
 *
 *   KUBE_CRDS=$PWD/crd/generated bash .ci/kube.sh start /tmp/kube
 *   KUBERNETES_UNDER_TEST=/tmp/kube npx node orchestrator/testing/record-session.ts
 *   bash .ci/kube.sh stop /tmp/kube
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { sharedControlPlane } from '../../testing/control-plane.ts'
import { playSession, withSession } from './kubectl-session.ts'

const page = fileURLToPath(new URL('../../docs/kubernetes.md', import.meta.url))
writeFileSync(page, withSession(readFileSync(page, 'utf8'), await playSession(sharedControlPlane())))
