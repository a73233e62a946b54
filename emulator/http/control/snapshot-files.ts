/** Downloads and imports snapshots as files. Both are streams, so they are not part of the typed contract. */
import { controlPath } from '../../../client/protocol/control/operations.js'
import type { Parameter } from '../../../client/protocol/wire/query/decode.js'
import { exportSnapshot } from '../../core/snapshots/export.js'
import { importSnapshot } from '../../core/snapshots/import.js'
import { type QueryForm, type Route, route } from '../route.js'
import { checkRow } from './snapshot-rows.js'

const place = `${controlPath}/projects/:project` as const

export const snapshotFileRoutes: readonly Route[] = [
  route({
    id: 'control.snapshots.export',
    summary: 'Download a snapshot as a file that another emulator can import.',
    method: 'get',
    paths: { any: [`${place}/snapshots/:snapshot/file`] },
    needs: 'control',
    query: optionalText('secrets', 'Use "true" to include provider secrets and sessions.'),
    reply: 'download',
    async handle(backend, { params: { project, snapshot }, query }) {
      const bytes = await exportSnapshot(backend, project, snapshot, { withSecrets: query === 'true' })
      return { name: `${snapshot}.tar`, type: 'application/x-tar', bytes }
    },
  }),
  route({
    id: 'control.snapshots.import',
    summary: 'Import a snapshot from a file sent as the body, without loading it.',
    method: 'post',
    paths: { any: [`${place}/snapshot-file`] },
    needs: 'control',
    query: optionalText('name', 'Name of the snapshot. Defaults to its former name.'),
    status: 201,
    reply: 'plain',
    async handle(backend, { params: { project }, query, bytes }) {
      const { id, ...snapshot } = await importSnapshot(backend, project, bytes, { name: query, checkRow })
      return snapshot
    },
  }),
]

function optionalText(name: string, description: string): QueryForm<string | undefined> {
  return {
    parameters: () => [{ name, description, schema: { type: 'string' } }],
    read: (_dialect, parameters: readonly Parameter[]) => parameters.find(([given]) => given === name)?.[1],
  }
}
