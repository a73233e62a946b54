/** Adds the shape of `--json` and the effect of each command to the manifest. Reads both from the types of its class. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
// TypeScript 7 has no stable API.
import ts from 'typescript-5.9'

/** Longer shapes are cut. */
const maxMembers = 12
const maxShapes = 3

/** The base classes, with the target of their requests. */
const targets = { ServiceCommand: ' the service', ControlCommand: ' the emulator', SvcCommand: '' }

/** @param {string} root @param {string} manifestPath */
export function describeCommands(root, manifestPath) {
  const manifest = JSON.parse(readFileSync(manifestPath, 'utf8'))
  /** @param {string} id */
  const fileOf = (id) => {
    const path = join(root, 'cli', 'commands', ...id.split(':'))
    return ts.sys.fileExists(`${path}.ts`) ? `${path}.ts` : join(path, 'index.ts')
  }
  const files = Object.fromEntries(Object.keys(manifest.commands).map((id) => [id, fileOf(id)]))
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram(Object.values(files), { ...options, noEmit: true })
  const checker = program.getTypeChecker()
  for (const [id, file] of Object.entries(files)) {
    const source = program.getSourceFile(file)
    const declared = source?.statements.find(ts.isClassDeclaration)
    if (!declared) throw new Error(`${file} has no class.`)
    const { prints, effect } = describe(checker, declared)
    const { json } = manifest.commands[id].flags
    // The one line of help for agents.
    if (json) json.description = `print ${prints || 'failures'} as JSON; this command ${effect}`
    Object.assign(manifest.commands[id], { prints, effect })
  }
  writeFileSync(manifestPath, JSON.stringify(manifest, null, 2))
}

/** @param {ts.TypeChecker} checker @param {ts.ClassDeclaration} declared */
function describe(checker, declared) {
  const type = checker.getTypeAtLocation(declared)
  /** @param {string} name */
  const memberOf = (name) => {
    const member = checker.getPropertyOfType(type, name)?.valueDeclaration
    if (!member) throw new Error(`${declared.name?.text} has no "${name}".`)
    return member
  }
  const [run] = checker.getTypeAtLocation(memberOf('run')).getCallSignatures()
  if (!run) throw new Error(`${declared.name?.text}.run cannot be called.`)
  const result = checker.getAwaitedType(run.getReturnType())
  // An undefined result is a stream that the command prints.
  const shapes = result ? shapesOf(checker, result, 2) : []
  const printsLines = declared.members.some((member) => member.name?.getText() === 'printsLines')
  const prints = [...shapes, ...(shapes.length === 0 && printsLines ? ['an object per line'] : [])].join(' or ')
  return { prints, effect: effectOf(checker, type, memberOf('access')) }
}

/** @param {ts.TypeChecker} checker @param {ts.Type} type @param {ts.Declaration} access */
function effectOf(checker, type, access) {
  const target = targets[baseOf(checker, type)]
  const [reads, writes] = [`only reads${target}`, target ? `writes to${target}` : 'writes']
  const value = checker.getTypeAtLocation(access)
  if (value.isStringLiteral()) return value.value === 'read' ? reads : writes
  const [, flag = '', first] = /flags(?:\.|\[')([\w-]+)(?:'\])? \? '(read|write)'/.exec(access.getText()) ?? []
  const isOneFlag = first !== undefined && !/&&|\|\|/.test(access.getText())
  if (!isOneFlag) return `may write${target && ` to${target}`}, depending on the arguments`
  return first === 'read' ? `${writes} unless you pass --${flag}` : `${reads} unless you pass --${flag}`
}

/** @param {ts.TypeChecker} checker @param {ts.Type} type @returns {keyof typeof targets} */
function baseOf(checker, type) {
  const name = type.symbol.name
  if (name in targets) return /** @type {keyof typeof targets} */ (name)
  const [base] = checker.getBaseTypes(/** @type {ts.InterfaceType} */ (type))
  if (!base) throw new Error(`${name} is not a command.`)
  return baseOf(checker, base)
}

/** @param {ts.TypeChecker} checker @param {ts.Type} type @param {number} depth @returns {string[]} */
function shapesOf(checker, type, depth) {
  const nothing = ts.TypeFlags.Void | ts.TypeFlags.Undefined | ts.TypeFlags.Null
  const parts = (type.isUnion() ? type.types : [type]).filter(({ flags }) => !(flags & nothing))
  const shapes = [...new Set(parts.map((part) => shapeOf(checker, part, depth)))]
  if (shapes.includes('string') && shapes.includes('number')) return ['any JSON']
  return shapes.length > maxShapes ? [...shapes.slice(0, maxShapes), '…'] : shapes
}

/** @param {ts.TypeChecker} checker @param {ts.Type} type @param {number} depth @returns {string} */
function shapeOf(checker, type, depth) {
  if (isList(checker, type)) {
    const [item] = checker.getTypeArguments(/** @type {ts.TypeReference} */ (type))
    return item && depth > 0 ? `[${shapesOf(checker, item, depth - 1).join(' or ')}]` : '[…]'
  }
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return checker.typeToString(type)
  const members = checker.getPropertiesOfType(type)
  const isOpen = checker.getIndexInfosOfType(type).length > 0
  const named = members.slice(0, maxMembers).map((member) => {
    const value = checker.getNonNullableType(checker.getTypeOfSymbol(member))
    return isList(checker, value) && depth > 0 ? `${member.name}: ${listOf(checker, value)}` : member.name
  })
  const more = isOpen || members.length > maxMembers ? ['…'] : []
  return `{ ${[...named, ...more].join(', ')} }`
}

/** @param {ts.TypeChecker} checker @param {ts.Type} list */
function listOf(checker, list) {
  const shape = shapeOf(checker, list, 1)
  return shape.length > 80 ? '[{ … }]' : shape
}

/** Whether it is a list. `any` and `null` count as lists for the checker. @param {ts.TypeChecker} checker @param {ts.Type} type */
function isList(checker, type) {
  return (type.flags & ts.TypeFlags.Object) !== 0 && checker.isArrayLikeType(type)
}
