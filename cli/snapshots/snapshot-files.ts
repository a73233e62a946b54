/** Streams snapshots to and from local files, or between emulators. */
import { controlPath } from '../../client/protocol/control/operations.js'
import type { Snapshot } from '../../client/protocol/control/snapshots.js'
import { segment } from '../../client/protocol/wire/paths/encode.js'
import { accepted } from '../../client/send.js'
import { openLocalFile, writeLocalFile } from '../files/local-files.js'
import type { EmulatorInfo } from '../target/emulator-file.js'
import { fetchDirectly } from '../target/fetch-directly.js'

type SnapshotTarget = Pick<EmulatorInfo, 'url' | 'controlToken' | 'projectId'>

/**
 * Writes a snapshot to a file atomically. Returns its size in bytes.
 *
 * @throws {SvcError} the error from the emulator
 */
export async function exportSnapshot(
  target: SnapshotTarget,
  name: string,
  { file, withSecrets, isReplacing }: { file: string; withSecrets: boolean; isReplacing: boolean },
): Promise<number> {
  const answer = await openSnapshot(target, name, withSecrets)
  let bytes = 0
  const onBytes = (more: number) => {
    bytes += more
  }
  // Readable only by the owner, because a snapshot contains credentials.
  await writeLocalFile(file, answer, { isReplacing, onBytes, mode: 0o600 })
  return bytes
}

/**
 * Uploads a file to the emulator, which validates it first.
 *
 * @throws {SvcError} for example `INVALID_SNAPSHOT`
 */
export async function importSnapshot(
  target: SnapshotTarget,
  file: string,
  name: string | undefined,
): Promise<Snapshot> {
  return sendSnapshot(target, { body: await openLocalFile(file) }, name)
}

/**
 * Copies a snapshot, including secrets, from one emulator to another.
 *
 * @throws {SvcError} the error from either emulator
 */
export async function copySnapshot(from: SnapshotTarget, name: string, to: SnapshotTarget): Promise<Snapshot> {
  const { body } = await openSnapshot(from, name, true)
  // `fetch` requires `duplex` for a streamed body.
  const content = { body, duplex: 'half' }
  return sendSnapshot(to, content, undefined)
}

async function openSnapshot(
  { url, controlToken, projectId }: SnapshotTarget,
  name: string,
  withSecrets: boolean,
): Promise<Response> {
  const address = `${url}${controlPath}/projects/${segment(projectId)}/snapshots/${segment(name)}/file?secrets=${withSecrets}`
  return accepted(url, await fetchDirectly(address, { headers: { 'svc-control-token': controlToken } }))
}

async function sendSnapshot(
  { url, controlToken, projectId }: SnapshotTarget,
  content: RequestInit,
  name: string | undefined,
): Promise<Snapshot> {
  const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`
  const address = `${url}${controlPath}/projects/${segment(projectId)}/snapshot-file${query}`
  const headers = { 'svc-control-token': controlToken, 'content-type': 'application/x-tar' }
  const answer = await fetchDirectly(address, { method: 'POST', headers, ...content })
  return (await accepted(url, answer)).json() as Promise<Snapshot>
}
