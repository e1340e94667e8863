import { type RefCallback, useLayoutEffect, useState } from 'react';
import type { Column } from './list-definition.ts';

/** The columns of a table that fit into its frame. Spare ones are left out, the last ones first. */
export function useFittingColumns<Row>(columns: readonly Column<Row>[]): {
  frame: RefCallback<HTMLDivElement>;
  fitting: Column<Row>[];
  left: string[];
} {
  const [element, frame] = useState<HTMLDivElement | null>(null);
  const names = columns.map(({ name }) => name).join();
  const [state, setState] = useState({ names, left: [] as string[] });
  const left = state.names === names ? state.left : [];
  const fitting = columns.filter(({ name }) => !left.includes(name));

  // After every render, and before it is painted: rows that come later can be wider.
  useLayoutEffect(() => {
    if (!element) return;
    const headings = [...element.querySelectorAll('th')].slice(-fitting.length);
    const spare = fitting
      .map(({ name, spare }, at) => ({ name, spare, width: headings[at]?.offsetWidth ?? 0 }))
      .filter(({ spare }) => spare)
      .toReversed();
    let tooWide = element.scrollWidth - element.clientWidth;
    const more: string[] = [];
    for (const { name, width } of spare) {
      if (tooWide <= 0) break;
      more.push(name);
      tooWide -= width;
    }
    if (more.length > 0) setState({ names, left: [...left, ...more] });
  });

  useLayoutEffect(() => {
    if (!element) return;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      setState({ names: '', left: [] });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);

  return { frame, fitting, left };
}
