/** Draws a box for each collection, and an arrow for each linked pair. */

import { useMemo, useState } from 'react'
import { Link as PageLink } from 'wouter'
import { counted, formatCount } from '../../../client/protocol/model/figures.js'
import { grouped } from '../../parts/grouped.js'
import { boxHeight, boxWidth, draw, type Edge } from './drawing.js'
import { type Link, type Relations, usersName } from './use-relations.js'

const maxNameCharacters = 17
const maxLabelCharacters = 16

export function formatPagePath(name: string): string {
  return name === usersName ? '/users' : `/data/${encodeURIComponent(name)}`
}

export function formatLabel(name: string): string {
  return name === usersName ? 'users' : name
}

interface Pair extends Edge {
  readonly fields: string
}

function pairLinks(links: readonly Link[]): Pair[] {
  const groups = grouped(links, formatKey)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    const fields = group.map(({ field }) => field).join(', ')
    return first ? [{ from: first.from, to: first.to, fields, label: cut(fields, maxLabelCharacters) }] : []
  })
}

export function Graph({ relations: { collections, links } }: { relations: Relations }) {
  const [pointed, point] = useState<string>()
  const { boxes, arrows, width, height, loneFrom } = useMemo(() => {
    const names = collections.map(({ name }) => name)
    return draw(names, pairLinks(links))
  }, [collections, links])
  return (
    <div className="graph">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: it is a group of links, and a hidden list describes the arrows. */}
      <svg width={width + 2} height={height + 2} viewBox={`-1 -1 ${width + 2} ${height + 2}`}>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0.5 8 4 0 7.5z" />
          </marker>
        </defs>
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: no child can get the focus. */}
        <g aria-hidden="true">
          {arrows.map(({ edge, path }) => (
            <path key={formatKey(edge)} className={chooseClass(edge, pointed)} d={path} markerEnd="url(#arrow)" />
          ))}
          {arrows.map(({ edge, label: { x, y } }) => (
            <text key={formatKey(edge)} className={chooseClass(edge, pointed)} x={x} y={y}>
              <title>{edge.fields}</title>
              {edge.label}
            </text>
          ))}
          {loneFrom === undefined ? null : (
            <text className="graph-words" x={0} y={loneFrom}>
              Not linked
            </text>
          )}
        </g>
        {collections.map(({ name, total }) => {
          const { x, y } = boxes.get(name) ?? { x: 0, y: 0 }
          return (
            <PageLink
              key={name}
              href={formatPagePath(name)}
              className="box"
              aria-label={total === null ? formatLabel(name) : `${formatLabel(name)} ${counted(total, 'document')}`}
              onPointerEnter={() => point(name)}
              onPointerLeave={() => point(undefined)}
              onFocus={() => point(name)}
              onBlur={() => point(undefined)}
            >
              <title>{formatLabel(name)}</title>
              <rect x={x} y={y} width={boxWidth} height={boxHeight} rx="6" />
              <text className="box-name" x={x + 12} y={y + boxHeight / 2}>
                {cut(formatLabel(name), maxNameCharacters)}{' '}
              </text>
              <text className="box-count" x={x + boxWidth - 12} y={y + boxHeight / 2}>
                {total === null ? '' : formatCount(total)}
              </text>
            </PageLink>
          )
        })}
      </svg>
    </div>
  )
}

function formatKey({ from, to }: { readonly from: string; readonly to: string }): string {
  return JSON.stringify([from, to])
}

function chooseClass({ from, to }: Pair, pointed: string | undefined): string {
  return pointed === from || pointed === to ? 'arrow pointed' : 'arrow'
}

function cut(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text
}
