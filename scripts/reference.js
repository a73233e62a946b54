/** Writes docs/reference/client.md from the doc comments of the client. `--check` fails if it is not as it would be written. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = join(root, 'docs', 'reference', 'client.md')

const commentPattern = '/\\*\\*(?:(?!\\*/)[\\s\\S])*\\*/\\n'

const text = reference()
if (!process.argv.includes('--check')) {
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
} else if (readOrNothing(target) !== text) {
  console.error('docs/reference/client.md is not what the doc comments say. Write it again with "npm run docs".')
  process.exitCode = 1
}

function reference() {
  const types = exportedTypes().map(({ name, file }) => section(name, declarationOf(name, file), '###'))
  return `${[
    '# Client reference',
    'Made from the doc comments by `npm run docs`. The guide is [the client](../guides/client.md).',
    functionSection('createClient', 'client/index.ts'),
    functionSection('webStore', 'client/auth/auth-state.ts'),
    '## svc.auth',
    ...methodsIn('client/auth/logins.ts'),
    ...methodsIn('client/auth/account.ts'),
    ...methodsIn('client/auth/recovery.ts'),
    ...methodsIn('client/auth/auth.ts'),
    '## svc.auth.twoFactor',
    ...methodsIn('client/auth/two-factor.ts'),
    '## svc.auth.provider(name)',
    ...methodsIn('client/auth/provider-login.ts'),
    '## svc.users',
    ...methodsIn('client/auth/users.ts'),
    '## svc.files',
    ...methodsIn('client/files/files.ts'),
    '## svc.collections',
    ...methodsIn('client/collections/collections.ts'),
    '## svc.collection(name)',
    ...methodsIn('client/collections/collection.ts'),
    ...methodsIn('client/collections/collection-writes.ts'),
    '## Types',
    ...types,
    '## Error codes',
    errorCodes(),
  ].join('\n\n')}\n`
}

/** What client/index.ts exports besides functions, in its order. */
function exportedTypes() {
  const source = read('client/index.ts')
  const passedOn = [...source.matchAll(/^export (?:type )?\{\s*([^}]+?),?\s*\} from '([^']+)'/gm)].flatMap(
    ([, names = '', from = '']) =>
      names.split(/,\s*/).map((name) => ({ name: name.replace(/^type /, ''), file: resolve('client/index.ts', from) })),
  )
  const own = [...source.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => ({
    name,
    file: 'client/index.ts',
  }))
  const chapters = ['Auth', 'CollectionClient', 'ErrorCode', 'Files', 'Users', 'webStore']
  return [...own, ...passedOn].filter(({ name }) => !chapters.includes(name))
}

/** @param {string} name @param {string} file */
function functionSection(name, file) {
  const { comment, code } = functionOf(name, file)
  return section(name, { comment, code: code.replace(/^export /, '') })
}

/** @param {string} title @param {{ comment: string, code: string }} documented @param {string} [heading] */
function section(title, { comment, code }, heading = '##') {
  const { words, example, throws } = readComment(comment)
  const parts = [`${heading} ${title}`, words, fence(code), example && fence(example), throws && `Throws ${throws}`]
  return parts.filter((part) => part).join('\n\n')
}

/** Every method of what the file opens; each of them must say what it does. @param {string} file */
function methodsIn(file) {
  const pattern =
    /^((?: {4}\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?) {4}(?:async )?\*?(\w+)((?:<|\()[\s\S]*?\)): (\S.*) \{\n/gm
  const body = read(file).replace(/^[\s\S]*?\n {2}return \{\n/, '')
  return [...body.matchAll(pattern)].map(([, comment = '', name = '', parameters = '', answer = '']) => {
    if (comment === '') throw new Error(`${file}: "${name}" has no doc comment.`)
    return section(name, { comment, code: `${name}${tidy(parameters)}: ${answer}` }, '###')
  })
}

function errorCodes() {
  const words = new Map(entriesIn('client/protocol/model/error-words.ts', /^ {2}'?(\w+)'?: '(.+)',$/gm))
  const statuses = new Map(entriesIn('client/protocol/model/errors.ts', /^ {2}'?(\w+)'?: (\d+),$/gm))
  // Codes without a status come from the client alone.
  const rows = [...words].map(([code, said]) => `| \`${code}\` | ${statuses.get(code) ?? '–'} | ${said} |`)
  return ['| `code` | status | means |', '| --- | --- | --- |', ...rows].join('\n')
}

/** Names and values of a table. @param {string} file @param {RegExp} pattern @returns {[string, string][]} */
function entriesIn(file, pattern) {
  return [...read(file).matchAll(pattern)].map(([, name = '', value = '']) => [name, value])
}

/** Parameters as a caller sees them: no defaults, no destructuring, on one line. @param {string} parameters */
function tidy(parameters) {
  return parameters
    .replace(/\{[^{}]*\}: (.+?) = \{\}/g, 'options?: $1')
    .replace(/options: ([^=]+?) = \{\}/g, 'options?: $1')
    .replace(/\{[^{}]*\}: /g, 'options: ')
    .replace(/,?\n\s*\)/g, ')')
    .replace(/\(\n\s*/g, '(')
    .replace(/\n\s*/g, ' ')
}

/** @param {string} name @param {string} file */
function functionOf(name, file) {
  const [, comment = '', code] =
    new RegExp(`(${commentPattern})?(export function ${name}[\\s\\S]*?) \\{\\n`).exec(read(file)) ?? []
  if (code === undefined) throw new Error(`${file}: there is no function "${name}".`)
  return { comment, code }
}

/** A type as it is written, with the members of what it extends. @param {string} name @param {string} file */
function declarationOf(name, file) {
  const pattern = `(?:^|\\n)(${commentPattern})?((?:export )?(?:interface|class|type) ${name}\\b.*(?:\\n(?: .*|(?=\\n +)|\\}.*))*)`
  const [, comment = '', whole] = new RegExp(pattern).exec(read(file)) ?? []
  if (whole === undefined) throw new Error(`${file}: there is no type "${name}".`)
  return { comment, code: withBases(withoutBodies(whole.replace(/^export /, '')), file) }
}

/** Of a class, what a caller reads. @param {string} code */
function withoutBodies(code) {
  if (!code.startsWith('class ')) return code
  const fields = [
    ...code.matchAll(/^ +(?:override |declare )?(readonly \w+: [^\n=]*?)(?: = (?:'[^\n]*|\w+[^\n]*|\[\]))?,?$/gm),
  ].map(([, field = '']) => `  ${field}`)
  return `${code.slice(0, code.indexOf('{'))}{\n${fields.join('\n')}\n}`
}

/** @param {string} code @param {string} file @returns {string} */
function withBases(code, file) {
  const [head, bases] = /^interface \w+(?:<.*>)?\s+extends ([A-Z][^{]*) \{\n/.exec(code) ?? []
  // The language's own types need no description.
  if (head === undefined || bases === undefined || bases.startsWith('AsyncIterable')) return code
  const members = bases.split(/, (?=[A-Z]\w*(?:,|<|$))(?![^<]*>)/).map((base) => {
    const name = base.replace(/<.*/, '')
    const declared = declarationOf(name, fileOf(name, file)).code
    return declared.slice(declared.indexOf('{\n') + 2, declared.lastIndexOf('}'))
  })
  const ownHead = head.replace(/(.+)\s+extends [A-Z].*\n$/, '$1 {\n')
  return ownHead + members.join('') + code.slice(head.length)
}

/** Where a name that a file uses is declared. @param {string} name @param {string} file */
function fileOf(name, file) {
  const imports = [...read(file).matchAll(/^import (?:type )?\{ ([^}]+) \} from '([^']+)'/gm)]
  const found = imports.find(([, names = '']) => names.split(', ').some((each) => each.replace('type ', '') === name))
  return found === undefined ? file : resolve(file, found[2] ?? '')
}

/** @param {string} comment */
function readComment(comment) {
  const lines = comment
    .replace(/^\s*\/\*\*\s?|\s*\*\/\s*$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
  const [words = '', ...tags] = lines.join('\n').split(/(?:^|\s)@(?=example|param|throws)/)
  const tag = (/** @type {string} */ name) =>
    tags
      .find((each) => each.startsWith(name))
      ?.slice(name.length)
      .trim()
  // References to documents that a reader of this one does not have.
  const said = words.replace(/(?:Contract \d[\d., and]*\.|Spec, "[^"]+"[.:])\s*/g, '').trim()
  return {
    words: said.charAt(0).toUpperCase() + said.slice(1),
    example: tag('example'),
    throws: tag('throws')?.replace(/^\{(\w+)\}/, '`$1`:'),
  }
}

/** @param {string} code */
function fence(code) {
  return `\`\`\`ts\n${code}\n\`\`\``
}

/** @param {string} file @param {string} from */
function resolve(file, from) {
  return posix.join(posix.dirname(file), from).replace(/\.js$/, '.ts')
}

/** @param {string} file */
function read(file) {
  return readFileSync(join(root, file), 'utf8')
}

/** @param {string} path */
function readOrNothing(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
