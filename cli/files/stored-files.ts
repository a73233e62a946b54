/** Stored files as the commands name and show them. */
import type { Client } from '../../client/index.js'
import type { StoredFile } from '../../client/model/file.js'
import { CliFailure, exits } from '../failure.js'
import type { Row } from '../print.js'

const pageSize = 100

/** All files of a folder, the newest first. */
async function* eachFile({ files }: Client, path?: string): AsyncGenerator<StoredFile, void, undefined> {
  for (let offset = 0; ; offset += pageSize) {
    const { items } = await files.list({ ...(path === undefined ? {} : { path }), limit: pageSize, offset })
    yield* items
    if (items.length < pageSize) return
  }
}

export async function allFiles(client: Client, path?: string): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  for await (const file of eachFile(client, path)) files.push(file)
  return files
}

export function isFileId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/** The file of that id. */
export async function findFile(client: Client, id: string): Promise<StoredFile> {
  for await (const file of eachFile(client)) if (file.id === id) return file
  throw new CliFailure('NOT_FOUND', exits.notFound, `No file "${id}".`, 'See what there is: svc files list')
}

export function fileRow({ id, name, path, size, mimeType, url }: StoredFile): Row {
  return { id, path: path === '' ? name : `${path}/${name}`, size: bytes(size), type: mimeType, url }
}

/** 512 B, 1.5 KB, 20 MB; in binary multiples, as the limits are. */
export function bytes(size: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const step = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, size)) / 10))
  const value = size / 1024 ** step
  return `${value < 10 && step > 0 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)} ${units[step]}`
}
