/** What is wrong with a part of a form, or with the whole of it. Contract 3.4. */
import { MulterError } from 'multer'
import { SvcError } from '../../../../client/protocol/model/errors.js'
import { formatBytes } from '../../../../client/protocol/model/figures.js'
import { sizes } from '../../../../client/protocol/model/limits.js'
import { overLimit } from '../../../core/documents/weight.js'

export function requireFieldName(name: string): void {
  const isOperator = name === '$append' || name === '$remove'
  if (!isOperator && name.isWellFormed() && name !== '' && !name.includes('\0')) return
  const issue = { path: [name], message: 'cannot name a field', type: 'field_name' }
  throw new SvcError('VALIDATION_ERROR', `"${name}" ${issue.message}.`, [issue])
}

/** Contract 3.4: another text part is 422. */
export function requireWanted(texts: readonly string[], name: string): void {
  if (texts.includes(name)) return
  const wanted = texts.map((text) => `"${text}"`).join(', ')
  const issue = {
    path: [name],
    message: `is a text, and only ${wanted} can be; every other part is a file`,
    type: 'file',
  }
  throw new SvcError('VALIDATION_ERROR', `"${name}" ${issue.message}.`, [issue])
}

export function notOnce(name: string): SvcError {
  const issue = { path: [name], message: 'is given twice, or is not text', type: 'string' }
  return new SvcError('VALIDATION_ERROR', `"${name}" ${issue.message}.`, [issue])
}

/** What multer says of a form. */
export function formFault(error: Error | null | undefined): SvcError {
  if (error instanceof SvcError) return error
  const code = error instanceof MulterError ? error.code : undefined
  if (code === 'LIMIT_FIELD_VALUE') return textTooLong()
  if (code === 'LIMIT_FIELD_KEY') {
    const issue = {
      path: [],
      message: `has a name of over ${formatBytes(sizes.maxFieldNameBytes)}`,
      type: 'field_name',
    }
    return new SvcError('VALIDATION_ERROR', `A part ${issue.message}.`, [issue])
  }
  return new SvcError('INVALID_BODY', 'The body is not a whole multipart form, or a part has no name that can be read.')
}

export function tooManyFiles(maxFiles: number): SvcError {
  return overLimit('files in a form', maxFiles, `A form has at most ${maxFiles} files.`)
}

export function noBoundary(): SvcError {
  return new SvcError(
    'INVALID_BODY',
    'The content type of the form has no "boundary". Leave the header out: what builds the form sets it.',
  )
}

export function textTooLong(): SvcError {
  return overLimit('body bytes', sizes.maxBodyBytes, `A text part is at most ${formatBytes(sizes.maxBodyBytes)}.`)
}
