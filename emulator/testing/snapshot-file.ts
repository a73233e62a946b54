/** Loads a file from `svc snapshot export` into a project. */
import { controlPath } from '../../client/protocol/control/operations.js'
import type { TestProject } from './helper.js'
import { ownFetch } from './own-fetch.js'

/** @throws {Error} for a file that is damaged or was not exported by an emulator */
export async function loadSnapshotFile(
  { id, url, env, control }: TestProject,
  { name, bytes }: { readonly name: string; readonly bytes: Blob },
): Promise<void> {
  const address = `${url}${controlPath}/projects/${id}/snapshot-file`
  const headers = { 'svc-control-token': env.SVC_CONTROL_TOKEN ?? '', 'content-type': 'application/x-tar' }
  const answer = await ownFetch(address, { method: 'POST', headers, body: new Uint8Array(await bytes.arrayBuffer()) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`Could not load snapshot "${name}": ${text}`)
  const imported = JSON.parse(text) as { name: string }
  await control.snapshots.load({ project: id, snapshot: imported.name })
}
