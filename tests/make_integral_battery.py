#!/usr/bin/env python3
"""Integrals as textbooks have them, with their values: tests/integral_battery.h, by mpmath.

    python3 tests/make_integral_battery.py > tests/integral_battery.h

An entry is a kind, the integrand (several components with ; between them), the ranges, and the value of each component for mpmath;
- for an integral that has none. Kinds say what is tried, but for hard, where the adaptive rule need not come to a value (sums that
oscillate for ever, logarithms for tails, thin ones in several variables), and extreme, which float32 cannot hold.
"""

from mpmath import *

mp.dps = 40
I = lambda f, *points: quad(f, list(points))
ball = lambda n, r: pi ** (mpf(n) / 2) / gamma(mpf(n) / 2 + 1) * r ** n
ramp = lambda k: mpf(k) * (k + 1) / 2
osc = lambda f, omega: quadosc(f, [0, inf], omega=omega)

BATTERY = """
# smooth
smooth | x^3 - 2*x + 1 | x=0:2 | 2
smooth | exp(x)*cos(x) | x=0:pi/2 | (exp(pi/2) - 1)/2
smooth | 1/(1 + x^2) | x=0:1 | pi/4
smooth | 1/(1 + x) | x=0:1 | log(2)
smooth | x*sin(x) | x=0:pi | pi
smooth | log(1 + x)/(1 + x^2) | x=0:1 | pi*log(2)/8
smooth | exp(sin(x)) | x=0:2*pi | 2*pi*besseli(0, 1)
smooth | 1/(2 + cos(x)) | x=0:2*pi | 2*pi/sqrt(3)
smooth | cosh(x)/(1 + sinh(x)^2) | x=0:3 | atan(sinh(3))
smooth | atan(x)/(1 + x) | x=0:1 | pi*log(2)/8
smooth | x/(exp(x) - 1) | x=1e-3:1 | I(lambda x: x/expm1(x), mpf('1e-3'), 1)
smooth | 1/(1 + x^4) | x=0:1 | (pi + 2*log(1 + sqrt(2)))/(4*sqrt(2))
smooth | erf(x) | x=0:2 | 2*erf(2) + (exp(-4) - 1)/sqrt(pi)
smooth | tan(x) | x=0:1.5 | -log(cos(mpf('1.5')))
smooth | (1 - x)^10*x^10 | x=0:1 | beta(11, 11)
smooth | x^20 | x=-1:1 | mpf(2)/21
smooth | 4/(1 + x^2) - pi | x=0:1 | 0
smooth | j0(x) | x=0:5 | I(lambda x: besselj(0, x), 0, 5)
smooth | exp(exp(x)) | x=0:1 | ei(e) - ei(1)
extreme | 1e300*exp(-x) | x=0:1 | mpf('1e300')*(1 - exp(-1))
extreme | 1e-290*exp(-x) | x=0:1 | mpf('1e-290')*(1 - exp(-1))
# the value is nearly, or in full, cancelled
cancel | x | x=-1:1 | 0
cancel | sin(x) | x=-pi:pi | 0
cancel | x^3*exp(x^2) | x=-1:1 | 0
cancel | sin(x)^3*cos(x)^4 | x=-2:2 | 0
cancel | cos(x) | x=0:2*pi | 0
cancel | x*exp(-x^2) | x=-inf:inf | 0
cancel | cos(x) + 1e-8 | x=0:2*pi | 2*pi*mpf('1e-8')
cancel | exp(x)*(1 - x) | x=0:1 | e - 2
cancel | (x - 0.5)^9 + 1e-12 | x=0:1 | mpf('1e-12')
cancel | 1000*sin(x) + 1e-6 | x=-3:3 | mpf('6e-6')
cancel | floor(x) + 0.5 | x=-3:3 | 0
cancel | sign(x)*sqrt(abs(x)) | x=-1:1 | 0
cancel | exp(-x)*(x - 1) | x=0:inf | 0
cancel | exp(-x)*(x^2 - 4*x + 2) | x=0:inf | 0
cancel | 1/x - 1/(1 + x) - 1/(x + x^2) + 1e-9 | x=1:2 | mpf('1e-9')
# singular at an end
ends | 1/sqrt(x) | x=0:1 | 2
ends | log(x) | x=0:1 | -1
ends | log(x)^2 | x=0:1 | 2
ends | sqrt(x) | x=0:1 | mpf(2)/3
ends | x^(-0.9) | x=0:1 | 10
ends | x^0.1 | x=0:1 | 1/mpf('1.1')
ends | sqrt(1 - x^2) | x=-1:1 | pi/2
ends | 1/sqrt(1 - x^2) | x=-1:1 | pi
ends | log(x)*log(1 - x) | x=0:1 | 2 - pi**2/6
ends | log(x)/sqrt(x) | x=0:1 | -4
ends | x^x | x=0:1 | -nsum(lambda n: (-n)**(-n), [1, inf])
ends | x^(-x) | x=0:1 | nsum(lambda n: n**(-n), [1, inf])
ends | log(1/x)^0.5 | x=0:1 | sqrt(pi)/2
ends | log(1/x)^(-0.5) | x=0:1 | sqrt(pi)
ends | log(x)/(1 - x) | x=0:1 | -pi**2/6
ends | log(sin(x)) | x=0:pi/2 | -pi*log(2)/2
ends | sqrt(tan(x)) | x=0:pi/2 | pi/sqrt(2)
ends | 1/sqrt(x*(1 - x)) | x=0:1 | pi
ends | x^(-0.5)*(1 - x)^(-0.75) | x=0:1 | beta(mpf(1)/2, mpf(1)/4)
ends | sin(1/x) | x=0:1 | sin(1) - ci(1)
ends | exp(-1/x)/x^2 | x=0:1 | exp(-1)
ends | cos(x)/sqrt(x) | x=0:1 | I(lambda x: 2*cos(x*x), 0, 1)
ends | (exp(x) - 1)/x^1.5 | x=0:1 | nsum(lambda n: 1/(factorial(n)*(n - mpf(1)/2)), [1, inf])
ends | acos(x) | x=0:1 | 1
ends | x*log(x)/(1 + x) | x=0:1 | pi**2/12 - 1
ends | sqrt(x)*log(x) | x=0:1 | -mpf(4)/9
ends | 1/(x^0.5 + x^0.3333333333333333) | x=0:1 | 5 - 6*log(2)
ends | sqrt(-log(x)/x) | x=0:1 | sqrt(2*pi)
hard | 1/(x*log(x)^2) | x=0:0.5 | 1/log(2)
ends | 1/(sqrt(x)*(1 + x)) | x=0:1 | pi/2
ends | 1/x | x=0:1 | -
ends | x^(-1.5) | x=0:1 | -
ends | 1/(x*log(x)) | x=0:0.5 | -
# singular inside
inside | abs(x)^(-0.5) | x=-1:1 | 4
inside | log(abs(x)) | x=-1:2 | 2*log(2) - 3
inside | abs(x - 1/3)^(-0.6) | x=0:1 | ((mpf(1)/3)**mpf('0.4') + (mpf(2)/3)**mpf('0.4'))/mpf('0.4')
inside | log(abs(x^2 - 2)) | x=0:3 | I(lambda x: log(abs(x*x - 2)), 0, sqrt(mpf(2)), 3)
inside | abs(cos(x))^(-0.5) | x=0:pi | 2*beta(mpf(1)/2, mpf(1)/4)/2
inside | sqrt(abs(x - 0.7)) | x=0:1 | (mpf('0.7')**1.5 + mpf('0.3')**mpf('1.5'))*2/3
inside | cbrt(x - 0.2)^2 | x=-1:1 | 3*(mpf('1.2')**(mpf(5)/3) + mpf('0.8')**(mpf(5)/3))/5
inside | abs(x)^(-0.5)*sign(x) + 1 | x=-1:1 | 2
inside | 1/sqrt(abs(1 - x^2)) | x=0:2 | pi/2 + acosh(2)
inside | sin(x)/x | x=-10:10 | 2*si(10)
inside | 1/abs(x - 0.3) | x=0:1 | -
inside | 1/(x - 0.3)^2 | x=0:1 | -
inside | tan(x) | x=0:2 | -
# infinite ranges
infinite | exp(-x^2) | x=-inf:inf | sqrt(pi)
infinite | exp(-x) | x=0:inf | 1
infinite | 1/(1 + x^2) | x=-inf:inf | pi
infinite | x^3/(exp(x) - 1) | x=0:inf | pi**4/15
infinite | 1/(exp(x) + 1) | x=0:inf | log(2)
infinite | exp(-x)*log(x) | x=0:inf | -euler
infinite | log(x)/(1 + x^2) | x=0:inf | 0
infinite | 1/cosh(x) | x=-inf:inf | pi
infinite | x^2*exp(-x^2/2) | x=-inf:inf | sqrt(2*pi)
infinite | exp(-x)/sqrt(x) | x=0:inf | sqrt(pi)
infinite | 1/(sqrt(x)*(1 + x)) | x=0:inf | pi
infinite | x^1.5*exp(-x) | x=0:inf | gamma(mpf('2.5'))
infinite | exp(-x^2 - 1/x^2) | x=0:inf | sqrt(pi)*exp(-2)/2
infinite | 1/(1 + x^3) | x=0:inf | 2*pi/(3*sqrt(3))
infinite | (1 + x^2)^(-0.75) | x=-inf:inf | sqrt(pi)*gamma(mpf(1)/4)/gamma(mpf(3)/4)
infinite | x/sinh(x) | x=0:inf | pi**2/4
infinite | exp(-abs(x))*cos(x) | x=-inf:inf | 1
infinite | log(1 + exp(-x)) | x=0:inf | pi**2/12
infinite | exp(-(x - 100)^2) | x=-inf:inf | sqrt(pi)
infinite | exp(-((x - 3)/0.01)^2) | x=-inf:inf | sqrt(pi)/100
hard | 1/(x*log(x)^2) | x=2:inf | 1/log(2)
infinite | 1/x^1.05 | x=1:inf | 20
infinite | exp(x) | x=-inf:0 | 1
infinite | exp(-x)*sin(x)^2 | x=0:inf | mpf(2)/5
infinite | (atan(3*x) - atan(x))/x | x=0:inf | pi*log(3)/2
infinite | 1/(1 + x^2)^2 | x=-inf:inf | pi/2
infinite | exp(-x)*(floor(x) + 1) | x=0:inf | 1/(1 - exp(-1))
infinite | x > 5 ? 1/x^2 : 0 | x=0:inf | mpf(1)/5
infinite | 1/x^2 - floor(1/x)/x | x=1:inf | 1
infinite | 1/(1 + abs(x)) | x=-inf:inf | -
infinite | 1/sqrt(1 + x^2) | x=0:inf | -
infinite | x | x=-inf:inf | -
infinite | exp(-x^2) + 1e-6 | x=-inf:inf | -
# oscillating
hard | sin(x)/x | x=0:inf | pi/2
waves | cos(x)/(1 + x^2) | x=0:inf | pi/(2*e)
hard | sin(x^2) | x=0:inf | sqrt(pi/8)
hard | x^(-0.5)*cos(x) | x=0:inf | sqrt(pi/2)
hard | j0(x) | x=0:inf | 1
waves | exp(-x)*cos(10*x) | x=0:inf | mpf(1)/101
waves | (sin(x)/x)^2 | x=0:inf | pi/2
waves | sin(x)/(x*(1 + x^2)) | x=0:inf | pi*(1 - exp(-1))/2
hard | x*sin(x)/(1 + x^2) | x=0:inf | pi/(2*e)
waves | cos(x)/(x^2 + 1) | x=-inf:inf | pi/e
waves | cos(100*x) | x=0:1 | sin(mpf(100))/100
waves | cos(1000*x)^2 | x=0:1 | mpf(1)/2 + sin(mpf(2000))/4000
waves | sin(200*x)*exp(x) | x=0:1 | (e*(sin(mpf(200)) - 200*cos(mpf(200))) + 200)/(1 + 200**2)
waves | 1 + 1e-3*cos(5000*x) | x=0:1 | 1 + mpf('1e-3')*sin(mpf(5000))/5000
waves | abs(sin(50*x)) | x=0:2*pi | 4
waves | sin(x)^2 | x=0:100*pi | 50*pi
waves | sin(64*pi*x)^2 | x=0:1 | mpf(1)/2
waves | cos(128*pi*x) + 1 | x=0:1 | 1
waves | sin(40*x)*sin(41*x) | x=0:pi | 0
waves | cos(exp(x)) | x=0:6 | ci(exp(mpf(6))) - ci(1)
waves | x - floor(x) | x=0:100 | 50
waves | abs(2*(20*x - floor(20*x + 0.5))) | x=0:1 | mpf(1)/2
waves | mod(x, 1) < 0.25 ? 1 : 0 | x=0:64 | 16
waves | sign(sin(2*pi*32*x)) + 1 | x=0:1 | 1
waves | sin(x) | x=0:inf | -
waves | x*cos(x) | x=0:inf | -
# narrow peaks and spikes
peaks | 1/(1e-6 + (x - 0.3)^2) | x=0:1 | 1000*(atan(mpf(700)) + atan(mpf(300)))
peaks | exp(-((x - 0.5)/0.001)^2) | x=0:1 | sqrt(pi)/1000
peaks | 1 + exp(-((x - 0.37)/0.02)^2) | x=0:1 | 1 + sqrt(pi)/50
peaks | (x - 0.3141)^4 < 1e-20 ? 1e5 : 1 | x=0:1 | 1 + 2*mpf('1e-5')*(mpf('1e5') - 1)
peaks | abs(x - 0.3141) < 1e-5 ? 1e5 : 1 | x=0:1 | 1 + 2*mpf('1e-5')*(mpf('1e5') - 1)
peaks | (x - 0.7)^2 < 1e-12 ? 1e5 : 0 | x=0:1 | mpf('0.2')
peaks | abs((x - 0.7)^3) < 1e-18 ? 1e5 : 1 | x=0:1 | 1 + 2*mpf('1e-6')*(mpf('1e5') - 1)
peaks | exp(-abs(x - 0.4)/1e-3) | x=0:1 | mpf('1e-3')*(2 - exp(-mpf(400)) - exp(-mpf(600)))
peaks | max(0, 1 - abs(x - 0.123)*1e4) | x=0:1 | mpf('1e-4')
peaks | 2 + max(0, 1 - abs(x - 0.123)*1e5)*1e4 | x=0:1 | mpf('2.1')
peaks | 1 + clip((x - 0.271)*1e7, 0, 1) | x=0:1 | 2 - mpf('0.271') - mpf('0.5e-7')
peaks | x > 0.2 && x < 0.2001 ? 1000 : x | x=0:1 | mpf('0.5') - (mpf('0.2001')**2 - mpf('0.04'))/2 + mpf('0.1')
peaks | where(floor(x*1e4) == 4321, 1e4, 0) + 1 | x=0:1 | 2
peaks | 1e-4/(1e-8 + (x - 0.5)^2) | x=-10:10 | 2*atan(mpf('9.5e4'))/2 + atan(mpf('10.5e4'))
peaks | exp(-100*x) | x=0:1000 | mpf(1)/100
peaks | exp(-x^2) | x=-1000:1000 | sqrt(pi)
peaks | 1/(1 + x^2) | x=-1e4:1e4 | 2*atan(mpf('1e4'))
peaks | abs(log(x) - 2) < 1e-6 ? 1e6 : 1 | x=1:10 | 9 + (mpf('1e6') - 1)*exp(2)*(exp(mpf('1e-6')) - exp(-mpf('1e-6')))
peaks | x^2 < 2 - 1e-6 ? 1 : x^2 < 2 ? 1e6 : 1 | x=0:2 | 2 + (mpf('1e6') - 1)*(sqrt(mpf(2)) - sqrt(2 - mpf('1e-6')))
peaks | sin(x)^2 < 1e-10 ? 1e4 : 1 | x=-1:1 | 2 + (mpf('1e4') - 1)*2*asin(mpf('1e-5'))
# by cases
cases | abs(x - 0.3) | x=0:1 | mpf('0.09')/2 + mpf('0.49')/2
cases | x < 0.5 ? x : 1 - x | x=0:1 | mpf(1)/4
cases | floor(5*x) | x=0:1 | 2
cases | floor(x)*x | x=0:10 | sum(k*(k + mpf(1)/2) for k in range(10))
cases | max(x, 1 - x^2) | x=0:1 | I(lambda x: max(x, 1 - x*x), 0, (sqrt(mpf(5)) - 1)/2, 1)
cases | min(sin(x), cos(x)) | x=0:2*pi | -2*sqrt(mpf(2))
cases | sign(x - 0.1)*exp(x) | x=0:1 | e + 1 - 2*exp(mpf('0.1'))
cases | where(x > 1/3, sqrt(x - 1/3), 0) | x=0:1 | 2*(mpf(2)/3)**mpf('1.5')/3
cases | x > 0.3 ? 1/sqrt(x - 0.3) : 0 | x=0:1 | 2*sqrt(mpf('0.7'))
cases | x > 0.7 ? 0 : log(0.7 - x) | x=0:1 | mpf('0.7')*(log(mpf('0.7')) - 1)
cases | round(3*x) | x=0:2 | 6
cases | mod(x, 0.3) | x=0:1 | 3*mpf('0.045') + mpf('0.005')
cases | clip(x, 0.25, 0.5) | x=0:1 | mpf('0.0625') + mpf('0.09375') + mpf('0.25')
cases | heaviside(x - 0.77, 0.5)*x | x=0:1 | (1 - mpf('0.77')**2)/2
cases | abs(sin(x) - 0.5) | x=0:pi | I(lambda x: abs(sin(x) - mpf(1)/2), 0, pi/6, 5*pi/6, pi)
cases | abs(abs(abs(x) - 1) - 0.5) | x=-2:2 | 1
cases | heaviside(x - 0.4, 1)*cos(x) | x=0:1 | sin(1) - sin(mpf('0.4'))
cases | ceil(x^2) | x=0:3 | sum(k*(sqrt(mpf(k)) - sqrt(mpf(k - 1))) for k in range(1, 10))
cases | floor(1/x) | x=0.01:1 | sum(1/mpf(k) for k in range(1, 100)) + 0 - 99*mpf('0.01')
cases | x < 0.5 ? nan : 1 | x=0:1 | -
# several variables
several | x*y | x=0:1 y=0:1 | mpf(1)/4
several | exp(x + y + z) | x=0:1 y=0:1 z=0:1 | (e - 1)**3
several | 1/(1 + x*y) | x=0:1 y=0:1 | pi**2/12
several | sin(x + y) | x=0:pi y=0:pi | 0
several | x*y^3 | x=-1:1 y=-1:1 | 0
several | cos(x)*cos(y) + 1 | x=0:2*pi y=0:2*pi | 4*pi**2
several | exp(-x^2 - y^2) | x=-inf:inf y=-inf:inf | pi
several | exp(-x^2 - y^2 - z^2) | x=-inf:inf y=-inf:inf z=-inf:inf | pi**mpf('1.5')
several | exp(-x - 2*y) | x=0:inf y=0:inf | mpf(1)/2
several | 1/((1 + x^2)*(1 + y^2)) | x=-inf:inf y=-inf:inf | pi**2
several | 1/(1 + x^2 + y^2)^2 | x=-inf:inf y=-inf:inf | pi
several | x^2 + y^2 < 1 ? 1 : 0 | x=-1:1 y=-1:1 | pi
hard | x^2 + y^2 + z^2 < 1 ? 1 : 0 | x=-1:1 y=-1:1 z=-1:1 | 4*pi/3
several | max(1 - x^2 - y^2, 0)^0.5 | x=-1:1 y=-1:1 | 2*pi/3
several | abs(x - y) | x=0:1 y=0:1 | mpf(1)/3
several | max(x, y) | x=0:1 y=0:1 | mpf(2)/3
several | max(max(x, y), z) | x=0:1 y=0:1 z=0:1 | mpf(3)/4
several | floor(x + y) | x=0:1 y=0:1 | mpf(1)/2
several | floor(3*x)*floor(2*y) | x=0:1 y=0:1 | mpf(1)/2
several | x > y ? exp(x) : 0 | x=0:1 y=0:1 | 1
several | 1/sqrt(x + y) | x=0:1 y=0:1 | 4*(2**mpf('1.5') - 2)/3
several | 1/sqrt(x*y) | x=0:1 y=0:1 | 4
several | log(x*y) | x=0:1 y=0:1 | -2
several | log(x + y) | x=0:1 y=0:1 | 2*log(2) - mpf(3)/2
hard | (x + y)^(-1.5) | x=0:1 y=0:1 | 8 - 4*sqrt(mpf(2))
several | 1/sqrt(x^2 + y^2) | x=0:1 y=0:1 | 2*log(1 + sqrt(mpf(2)))
several | 1/sqrt(x^2 + y^2) | x=-1:1 y=-1:1 | 8*log(1 + sqrt(mpf(2)))
several | sqrt(x^2 + y^2) | x=-1:1 y=-1:1 | 4*(sqrt(mpf(2)) + log(1 + sqrt(mpf(2))))/3
several | 1/(1 - x*y) | x=0:1 y=0:1 | pi**2/6
several | exp(-1000*((x - 0.3)^2 + (y - 0.6)^2)) | x=0:1 y=0:1 | pi/1000
several | 1 + exp(-((x - 0.37)^2 + (y - 0.58)^2)/4e-2) | x=0:1 y=0:1 | 1 + mpf("0.01")*pi*(erf(5*mpf("0.37")) + erf(5*mpf("0.63")))*(erf(5*mpf("0.58")) + erf(5*mpf("0.42")))
hard | abs(x - y) < 1e-3 ? 100 : 0 | x=0:1 y=0:1 | 100*(2*mpf('1e-3') - mpf('1e-6'))
hard | (x - y)^4 < 1e-12 ? 100 : 1 | x=0:1 y=0:1 | 1 + 99*(2*mpf('1e-3') - mpf('1e-6'))
hard | (x - 0.3)^2 + (y - 0.4)^2 < 1e-6 ? 1e4 : 1 | x=0:1 y=0:1 | 1 + 9999*pi*mpf('1e-6')
several | cos(30*x)*cos(30*y) | x=0:1 y=0:1 | (sin(mpf(30))/30)**2
several | cos(20*(x + y)) + 1 | x=0:1 y=0:1 | 1 + re(((expj(20) - 1)/(1j*20))**2)
several | x*y*z*u | x=0:1 y=0:1 z=0:1 u=0:1 | mpf(1)/16
several | exp(-(x^2 + y^2 + z^2 + u^2)) | x=0:1 y=0:1 z=0:1 u=0:1 | (sqrt(pi)/2*erf(1))**4
several | 1/(1 + x + y + z + u + v) | x=0:1 y=0:1 z=0:1 u=0:1 v=0:1 | I(lambda s: exp(-s)*((1 - exp(-s))/s)**5, 0, 1, 10, 100, inf)
several | cos(x + y + z + u + v + w) | x=0:1 y=0:1 z=0:1 u=0:1 v=0:1 w=0:1 | re(((expj(1) - 1)/1j)**6)
several | x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 | x0=0:1 x1=0:1 x2=0:1 x3=0:1 x4=0:1 x5=0:1 x6=0:1 x7=0:1 | 4
several | exp(-(x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7)) | x0=0:1 x1=0:1 x2=0:1 x3=0:1 x4=0:1 x5=0:1 x6=0:1 x7=0:1 | (1 - exp(-1))**8
several | x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 < 4 ? 1 : 0 | x0=0:1 x1=0:1 x2=0:1 x3=0:1 x4=0:1 x5=0:1 x6=0:1 x7=0:1 | mpf(1)/2
hard | 1 + (abs(x0 - x1) < 1e-6 ? 1e6 : 0) + x2*x3*x4*x5*x6*x7 | x0=0:1 x1=0:1 x2=0:1 x3=0:1 x4=0:1 x5=0:1 x6=0:1 x7=0:1 | 1 + mpf('1e6')*(mpf('2e-6') - mpf('1e-12')) + mpf(1)/64
several | 1/abs(x - y) | x=0:1 y=0:1 | -
several | 1/(x + y)^2 | x=0:1 y=0:1 | -
several | sqrt(x + y - 1) | x=0:1 y=0:1 | -
# limits that depend on variables
limits | x*y | x=0:1 y=0:x | mpf(1)/8
limits | 1 | x=-1:1 y=-sqrt(1-x^2):sqrt(1-x^2) | pi
limits | exp(-y) | x=0:1 y=x:inf | 1 - exp(-1)
limits | x + y + z | x=0:1 y=0:1-x z=0:1-x-y | mpf(1)/8
limits | 1/sqrt(x*y) | x=0:1 y=0:x | 2
limits | sin(y)/y | x=0:pi y=x:pi | 2
limits | exp(x^2) | x=0:1 y=0:x | (e - 1)/2
limits | y > x/2 ? 1 : 0 | x=0:1 y=0:x | mpf(1)/4
limits | abs(y - x/3) < 1e-4 ? 100 : 0 | x=0:1 y=0:x | 100*(mpf("2e-4") - mpf("2.25e-8"))
hard | 2 + (abs(y - x/3) < 1e-4 ? 1e4 : 0) | x=0:1 y=0:x | 1 + 1e4*(mpf("2e-4") - mpf("2.25e-8"))
limits | floor(4*y/x) | x=0:1 y=0:x | mpf(3)/4
limits | exp(-x - y) | x=0:inf y=0:x | mpf(1)/2
limits | exp(-x) | x=0:inf y=0:x | 1
hard | abs(y - 2) < 1e-5 ? 1e4 : 0 | x=0:1 y=x:inf | mpf('0.2')
limits | x*y*z | x=0:1 y=0:x z=0:y | mpf(1)/48
limits | x^2 + y^2 + z^2 | x=-1:1 y=-sqrt(1-x^2):sqrt(1-x^2) z=-sqrt(max(1-x^2-y^2,0)):sqrt(max(1-x^2-y^2,0)) | 4*pi/5
limits | 1/x | x=0:1 y=0:x^2 | mpf(1)/2
limits | y | x=0:pi y=0:sin(x) | pi/4
# several components
vector | x; x^2; x^3 | x=0:1 | mpf(1)/2; mpf(1)/3; mpf(1)/4
vector | sin(x); cos(x) | x=0:pi | 2; 0
vector | exp(-x); x*exp(-x); x^2*exp(-x) | x=0:inf | 1; 1; 2
vector | 1/sqrt(x); log(x); exp(x) | x=0:1 | 2; -1; e - 1
vector | exp(-x^2); x*exp(-x^2); x^2*exp(-x^2) | x=-inf:inf | sqrt(pi); 0; sqrt(pi)/2
vector | x > 0.3 ? 1 : 0; abs(x - 0.6); 1 | x=0:1 | mpf('0.7'); mpf('0.26'); 1
vector | cos(x); cos(10*x); cos(100*x) | x=0:1 | sin(1); sin(mpf(10))/10; sin(mpf(100))/100
vector | x*y; x + y; exp(x - y) | x=0:1 y=0:1 | mpf(1)/4; 1; (e - 1)*(1 - exp(-1))
vector | 1; abs(x - 0.1234567) < 1e-6 ? 1e6 : 0 | x=0:1 | 1; 2
vector | exp(x); 1/x | x=0:1 | e - 1; -
vector | x^2 + y^2 < 1 ? 1 : 0; x*y; sin(x)*y | x=-1:1 y=-1:1 | pi; 0; 0
"""


def entries():
    for line in BATTERY.strip().split('\n'):
        if line.startswith('#'):
            continue
        kind, integrand, ranges, values = (part.strip() for part in line.split(' | '))
        of_variables = [(name, *bounds.split(':')) for name, bounds in (r.split('=', 1) for r in ranges.split(' '))]
        yield kind, integrand.split('; '), of_variables, [None if v == '-' else mpf(eval(v)) for v in values.split('; ')]


def strings(texts):
    return '{' + ', '.join(f'"{t}"' for t in texts) + '}'


if __name__ == '__main__':
    print('// Made by make_integral_battery.py: integrals with their values, NAN where there is none.')
    print('static const battery_entry battery[] = {')
    for kind, components, ranges, values in entries():
        numbers = ', '.join('NAN' if v is None else nstr(v, 25, min_fixed=0, max_fixed=0) + 'L' if v else '0' for v in values)
        print(f'    {{"{kind}", {len(components)}, {len(ranges)}, {strings(components)}, '
              f'{{{", ".join(strings(r) for r in ranges)}}}, {{{numbers}}}}},')
    print('};')
