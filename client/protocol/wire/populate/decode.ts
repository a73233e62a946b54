/** The `populate` axis: the field that contains the ids of a link, and how paths are written. */
import type { LinkNames } from '../../model/page.js'
import type { Path } from '../../model/path.js'

interface PopulateForm {
  /** Undefined if a link and its field have the same name. */
  readonly links: LinkNames | undefined
  readPopulated(path: Path): Path
  readSelected(path: Path): Path
}

const same = (path: Path) => path

export const populateForms = {
  field: { links: undefined, readPopulated: same, readSelected: same },
  /** Puts the record in `author`, and finds its id in `author_id`. */
  named: {
    links: (link) => [`${link}_id`, link, `${link}_ids`],
    readPopulated: withoutTargets,
    readSelected: withoutData,
  },
} as const satisfies { readonly [form: string]: PopulateForm }

/** Ignores the collection in `author:users`, because ids are unique in a project. */
function withoutTargets([first, ...rest]: Path): Path {
  const name = (segment: string) => segment.replace(/:.*$/s, '')
  return [name(first), ...rest.map(name)]
}

/** Reads `data.title` as `title`. */
function withoutData(path: Path): Path {
  const [first, next, ...rest] = path
  return first === 'data' && next !== undefined ? [next, ...rest] : path
}
