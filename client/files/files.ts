import type { Session } from '../auth/session.js'
import type { CallOptions } from '../collections/collection-writes.js'
import { repeatable } from '../keys.js'
import type { StorageUsage, StoredFile } from '../protocol/model/file.js'
import type { Page } from '../protocol/model/page.js'
import { decodeRecord } from '../protocol/wire/expected.js'
import * as addresses from '../protocol/wire/paths/encode.js'
import { decodeFile, decodePage, decodeRemoved } from '../protocol/wire/records/decode.js'
import { sendable } from '../protocol/wire/sendable.js'
import { accepted, asFailure, requireAddress, resolveFetch } from '../send.js'

export interface UploadOptions extends CallOptions {
  /** Folder, for example `avatars`. */
  readonly path?: string
  /** File name. Default: the name of the file itself. */
  readonly name?: string
  /** Reports upload progress in bytes. */
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void
  /** Calls with the same key within 24 hours store only once. Default: a new key for each call. */
  readonly idempotencyKey?: string
}

export interface FileListOptions extends CallOptions {
  /** Lists only this folder and its subfolders. */
  readonly path?: string
  readonly limit?: number
  readonly offset?: number
}

export type Files = ReturnType<typeof openFiles>

/** Opens the calls for standalone files, which stay until you delete them. */
export function openFiles({ ask, options }: Session) {
  return {
    /**
     * Uploads a file and makes it public at its `url`. Safe to retry.
     *
     * @example
     * const letter = await svc.files.upload(new File(['Hello'], 'hello.txt'), { path: 'letters' })
     * console.log(letter.url)
     *
     * @throws {SvcError} `FILE_TOO_LARGE`, `STORAGE_LIMIT`, `INVALID_PATH`
     */
    async upload(file: Blob, { path, name, onProgress, ...options }: UploadOptions = {}): Promise<StoredFile> {
      const form = new FormData()
      if (path) form.append('path', path)
      sendable('The file', () => form.append('file', file, name ?? (file as File).name ?? 'file'))
      return ask('POST', addresses.upload, decodeFile, {
        ...repeatable(options),
        form,
        // The form is longer than the file in it.
        onProgress: onProgress && ((sentBytes) => onProgress(Math.min(sentBytes, file.size), file.size)),
      })
    },

    /**
     * Lists one page of files, newest first, including files of documents and users.
     *
     * @example
     * for (const { name, size } of (await svc.files.list({ path: 'letters' })).items) console.log(name, size)
     */
    async list({ signal, ...page }: FileListOptions = {}): Promise<Page<StoredFile>> {
      const parts = { query: Object.entries(page), signal }
      const files = await ask('GET', addresses.files, decodePage('files', decodeFile), parts)
      return { ...files, offset: page.offset ?? 0 }
    },

    /**
     * Deletes a standalone file.
     *
     * @example
     * const file = await svc.files.upload(new File(['Hello'], 'hello.txt'))
     * await svc.files.delete(file.id)
     *
     * @throws {SvcError} `NOT_FOUND`, `FILE_IN_USE`
     */
    async delete(id: string, options?: CallOptions): Promise<{ id: string }> {
      return ask('DELETE', `/storage/file/${addresses.segment(id)}`, decodeRemoved(id), options)
    },

    /**
     * Returns how much storage the project uses, and its limit.
     *
     * @example
     * const { bytes, limitBytes } = await svc.files.info()
     */
    info(options?: CallOptions): Promise<StorageUsage> {
      return ask('GET', addresses.usage, decodeRecord<StorageUsage>, options)
    },

    /**
     * Downloads a file and returns the `Response`. Does not send a key.
     *
     * @example
     * const file = await svc.files.upload(new File(['Hello'], 'hello.txt'))
     * console.log(await (await svc.files.download(file)).text())
     *
     * @throws {SvcError} `NOT_FOUND`
     */
    async download(file: string | Pick<StoredFile, 'url'>, { signal }: CallOptions = {}): Promise<Response> {
      const fetch = resolveFetch(options)
      const { href } = requireAddress((file as StoredFile).url ?? file)
      try {
        return await accepted(href, await fetch(href, { signal }))
      } catch (error) {
        throw signal?.aborted ? (signal.reason ?? error) : asFailure(error)
      }
    },
  }
}
