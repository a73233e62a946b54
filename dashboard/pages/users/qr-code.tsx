/** Draws a QR code as one SVG path, without loading an image. */
import { encodeQR } from 'qr'

/** Empty margin that scanners require, in modules. */
const quietModules = 4

export default function QrCode({ text, label }: { text: string; label: string }) {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: quietModules })
  const squares = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return (
    <svg
      className="qr-code"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={rows.length} height={rows.length} />
      <path d={squares.join('')} />
    </svg>
  )
}
