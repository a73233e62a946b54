/** Validates the names and folders of files. Contract 8.2; none of them become paths on a disk. */
import { SvcError } from '../../../client/protocol/model/errors.js'
import { formatBytes } from '../../../client/protocol/model/figures.js'
import { sizes } from '../../../client/protocol/model/limits.js'
import type { Backend } from '../context.js'

/**
 * Returns the name of an uploaded file, without the folders that some clients send.
 *
 * @throws {SvcError} `INVALID_PATH`
 */
export function requireFileName(sent: string): string {
  const name = sent.replace(/^.*[/\\]/s, '').normalize('NFC')
  if (name === '' || name === '.' || name === '..') {
    throw new SvcError('INVALID_PATH', `"${shown(sent)}" is not a valid file name.`)
  }
  if (Buffer.byteLength(name) > sizes.maxFileNameBytes) {
    throw new SvcError('INVALID_PATH', `File name is too long (max ${formatBytes(sizes.maxFileNameBytes)}).`)
  }
  if (/\p{Cc}|\p{Cs}/u.test(name)) {
    throw new SvcError('INVALID_PATH', 'File names cannot contain control characters.')
  }
  return name
}

/**
 * Normalizes a folder: without a trailing slash, and empty for the top folder.
 *
 * @throws {SvcError} `INVALID_PATH`
 */
export function requireFolder(sent: string): string {
  if (sent === '') return ''
  const path = sent.replace(/\/$/, '').normalize('NFC')
  if (Buffer.byteLength(path) > sizes.maxPathBytes) {
    throw new SvcError('INVALID_PATH', `Folder is too long (max ${sizes.maxPathBytes.toLocaleString('en')} bytes).`)
  }
  const isFit = path.split('/').every((name) => /^[\p{L}\p{M}\p{N} ._-]+$/u.test(name) && !/^\.\.?$/.test(name))
  if (!isFit) {
    throw new SvcError(
      'INVALID_PATH',
      `"${shown(sent)}" is not a valid folder. Use letters, digits, spaces, ".", "_" and "-", and separate folders with "/".`,
    )
  }
  return path
}

/** Builds the public URL of a file. */
export function fileUrl({ reachedAt }: Pick<Backend, 'reachedAt'>, { id, name }: { id: string; name: string }): string {
  return `${reachedAt()}/files/${id}/${encodeURIComponent(name)}`
}

function shown(text: string): string {
  return text.slice(0, 80).replaceAll(/\p{C}/gu, '�')
}
