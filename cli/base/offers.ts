/** Compares what each command needs with what the service offers, by the dialect it is named after, before a request is sent. */
import { readDialectName } from '../../client/protocol/model/dialect-name.js'
import { dialects } from '../../client/protocol/wire/dialects.js'
import { CliFailure, exits } from './failure.js'

/** Sentences for what a service of a dialect does not offer. */
const absences = {
  'collection list': 'does not list its collections',
  'collection record': 'does not show the settings of a collection',
  'file list': 'does not list its files',
  'file deletion': 'does not delete files',
  'file usage': 'does not report the storage in use',
  'event stream': 'has no event streams, only WebSockets',
  'change history': 'does not keep past changes',
  'provider codes': 'does not take the codes of identity providers this way',
  description: 'does not describe its API',
} as const

export type Offer = keyof typeof absences

/** Lists what services of a dialect do not offer. The emulator offers everything in each of them. */
const lacking: { readonly [Name in keyof typeof dialects]: readonly Offer[] } = {
  a: [],
  b: [],
  c: [],
  d: [
    'collection list',
    'collection record',
    'file list',
    'file deletion',
    'file usage',
    'event stream',
    'change history',
    'provider codes',
    'description',
  ],
}

export interface Given {
  readonly flags: { readonly [name: string]: unknown }
  readonly args: { readonly [name: string]: unknown }
  readonly argv: readonly unknown[]
}

type Need = Offer | ((given: Given) => Offer | undefined)

function isUnnamed({ argv }: Given): Offer | undefined {
  return argv.length === 0 ? 'collection list' : undefined
}

function isOfFiles({ flags }: Given): Offer | undefined {
  return flags.files === true ? 'file list' : undefined
}

/** Lists what commands need beyond documents and users, by their ids. */
const needs: { readonly [command: string]: readonly Need[] } = {
  'collections:check': ['collection list'],
  'collections:get': ['collection record'],
  'collections:list': ['collection list'],
  'collections:permissions': ['collection record'],
  'collections:schema': ['collection record'],
  'collections:schema:infer': ['collection record'],
  'files:delete': ['file deletion'],
  'files:download': [({ args }) => (URL.canParse(String(args.what)) ? undefined : 'file list')],
  'files:info': ['file usage'],
  'files:list': ['file list'],
  'idp:callback': ['provider codes'],
  'idp:url': ['provider codes'],
  openapi: ['description'],
  diff: [isUnnamed, isOfFiles],
  pull: [isUnnamed, isOfFiles],
  push: [isUnnamed, isOfFiles],
  'seed:generate': ['collection record'],
  tail: [
    (given) => (given.flags.all ? undefined : isUnnamed(given)),
    ({ flags }) => (flags.transport === 'sse' ? 'event stream' : undefined),
    ({ flags }) => (flags.since === undefined ? undefined : 'change history'),
  ],
  'types:generate': ['collection list'],
}

/** Hints for what can be done without the offer. */
const hints: { readonly [Name in Offer]?: string } = {
  'collection list': 'Name the collections where the command takes names, for example: svc pull posts',
  'event stream': 'Leave out --transport.',
  'change history': 'Leave out --since.',
  'file list': 'svc files download takes the address of a file.',
}

/** Lists what the command needs with these arguments, beyond what every service offers. */
export function neededOffers(command: string, given: Given): readonly Offer[] {
  const named = Object.hasOwn(needs, command) ? (needs[command] ?? []) : []
  return named.flatMap((need) => (typeof need === 'function' ? need(given) : need) ?? [])
}

/**
 * @param dialect as text, such as `d, errors=detail`
 * @throws {CliFailure} with exit 5 if the service lacks one of the offers
 */
export function requireOffered(needed: readonly Offer[], dialect: string | undefined): void {
  const absent = needed.find((offer) => !isOffered(offer, dialect))
  if (absent === undefined) return
  const message = `A service of dialect ${readDialectName(dialect ?? '')} ${absences[absent]}. Nothing was sent.`
  throw new CliFailure('NOT_OFFERED', exits.invalid, message, hints[absent])
}

/** @param dialect as text, such as `d, errors=detail` */
export function isOffered(offer: Offer, dialect: string | undefined): boolean {
  const name = readDialectName(dialect ?? '')
  return !isNamed(name) || !lacking[name].includes(offer)
}

function isNamed(name: string): name is keyof typeof dialects {
  return Object.hasOwn(dialects, name)
}
